// One check per collective: prepares buffers, calls MPI, compares with a plain loop.
//
// All ranks of call.comm must call with equal arguments. No check communicates other than by
// the collective it tests, except check_barrier, which uses call.comm->side.
#pragma once

#include "call.hpp"

namespace tutti::test {

void check_barrier(Report& report, const Call& call);

void check_bcast(Report& report, const Call& call);
void check_gather(Report& report, const Call& call);
void check_scatter(Report& report, const Call& call);
void check_allgather(Report& report, const Call& call);
void check_alltoall(Report& report, const Call& call);

void check_gatherv(Report& report, const Call& call);
void check_scatterv(Report& report, const Call& call);
void check_allgatherv(Report& report, const Call& call);
void check_alltoallv(Report& report, const Call& call);
void check_alltoallw(Report& report, const Call& call);

void check_reduce(Report& report, const Call& call);
void check_allreduce(Report& report, const Call& call);
void check_reduce_scatter(Report& report, const Call& call);
void check_reduce_scatter_block(Report& report, const Call& call);
void check_scan(Report& report, const Call& call);
void check_exscan(Report& report, const Call& call);

}  // namespace tutti::test
