#include "perform.hpp"

namespace tutti::fuzz {

namespace {

struct Functions {
  decltype(&PMPI_Barrier) barrier;
  decltype(&PMPI_Bcast) bcast;
  decltype(&PMPI_Gather) gather;
  decltype(&PMPI_Gatherv) gatherv;
  decltype(&PMPI_Scatter) scatter;
  decltype(&PMPI_Scatterv) scatterv;
  decltype(&PMPI_Allgather) allgather;
  decltype(&PMPI_Allgatherv) allgatherv;
  decltype(&PMPI_Alltoall) alltoall;
  decltype(&PMPI_Alltoallv) alltoallv;
  decltype(&PMPI_Alltoallw) alltoallw;
  decltype(&PMPI_Reduce) reduce;
  decltype(&PMPI_Allreduce) allreduce;
  decltype(&PMPI_Reduce_scatter_block) reduce_scatter_block;
  decltype(&PMPI_Reduce_scatter) reduce_scatter;
  decltype(&PMPI_Scan) scan;
  decltype(&PMPI_Exscan) exscan;
};

#define FUZZ_FUNCTIONS(prefix)                                                                 \
  {                                                                                            \
    prefix##_Barrier, prefix##_Bcast, prefix##_Gather, prefix##_Gatherv, prefix##_Scatter,     \
        prefix##_Scatterv, prefix##_Allgather, prefix##_Allgatherv, prefix##_Alltoall,         \
        prefix##_Alltoallv, prefix##_Alltoallw, prefix##_Reduce, prefix##_Allreduce,           \
        prefix##_Reduce_scatter_block, prefix##_Reduce_scatter, prefix##_Scan, prefix##_Exscan \
  }

const Functions tuttis = FUZZ_FUNCTIONS(MPI);
const Functions natives = FUZZ_FUNCTIONS(PMPI);

int move(const Functions& mpi, const Call& call, const Argument& s, const Argument& r,
         MPI_Comm comm) {
  switch (call.collective) {
    case Collective::barrier:
      return mpi.barrier(comm);
    case Collective::bcast:
      return mpi.bcast(r.address, r.count, r.type, call.root, comm);
    case Collective::gather:
      return mpi.gather(s.address, s.count, s.type, r.address, r.count, r.type, call.root, comm);
    case Collective::gatherv:
      return mpi.gatherv(s.address, s.count, s.type, r.address, r.counts, r.displacements, r.type,
                         call.root, comm);
    case Collective::scatter:
      return mpi.scatter(s.address, s.count, s.type, r.address, r.count, r.type, call.root, comm);
    case Collective::scatterv:
      return mpi.scatterv(s.address, s.counts, s.displacements, s.type, r.address, r.count, r.type,
                          call.root, comm);
    case Collective::allgather:
      return mpi.allgather(s.address, s.count, s.type, r.address, r.count, r.type, comm);
    case Collective::allgatherv:
      return mpi.allgatherv(s.address, s.count, s.type, r.address, r.counts, r.displacements,
                            r.type, comm);
    case Collective::alltoall:
      return mpi.alltoall(s.address, s.count, s.type, r.address, r.count, r.type, comm);
    case Collective::alltoallv:
      return mpi.alltoallv(s.address, s.counts, s.displacements, s.type, r.address, r.counts,
                           r.displacements, r.type, comm);
    default:
      return mpi.alltoallw(s.address, s.counts, s.displacements, s.types, r.address, r.counts,
                           r.displacements, r.types, comm);
  }
}

int reduce(const Functions& mpi, const Call& call, const Argument& s, const Argument& r,
           MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int count = call.sizes[0];
  switch (call.collective) {
    case Collective::reduce:
      return mpi.reduce(s.address, r.address, count, type, op, call.root, comm);
    case Collective::allreduce:
      return mpi.allreduce(s.address, r.address, count, type, op, comm);
    case Collective::reduce_scatter_block:
      return mpi.reduce_scatter_block(s.address, r.address, count, type, op, comm);
    case Collective::reduce_scatter:
      return mpi.reduce_scatter(s.address, r.address, call.sizes.data(), type, op, comm);
    case Collective::scan:
      return mpi.scan(s.address, r.address, count, type, op, comm);
    default:
      return mpi.exscan(s.address, r.address, count, type, op, comm);
  }
}

}  // namespace

int perform(Library library, const Call& call, const Argument& send, const Argument& receive,
            MPI_Op op, MPI_Comm comm) {
  const Functions& mpi = library == Library::tutti ? tuttis : natives;
  if (!call.about().reduces) return move(mpi, call, send, receive, comm);
  // One of the two is always significant.
  const bool sends = send.address != MPI_IN_PLACE;
  return reduce(mpi, call, send, receive, sends ? send.type : receive.type, op, comm);
}

}  // namespace tutti::fuzz
