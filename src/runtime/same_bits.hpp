// Allreduces whose result MPICH does not make the same on all ranks.
//
// Its ranks combine two operands in either order where the operator commutes. That shows where the
// order does: in ties of a user's operator, and in MIN and MAX of numbers that are NaN or zeros of
// both signs. Programs branch on such results. Reduced on one rank and broadcast they are the same.
#pragma once

#include <mpi.h>

#include "runtime/collectives.hpp"
#include "runtime/ways.hpp"

namespace tutti::runtime {

#ifdef TUTTI_WAYS_OF_MPICH
// Whether ranks of the native collective may disagree. Not asked of sums and products, of which
// nothing differs but which NaN it is.
bool native_ranks_may_differ(Count count, MPI_Datatype type, MPI_Op op);
#else
constexpr bool native_ranks_may_differ(Count, MPI_Datatype, MPI_Op) { return false; }
#endif

// The native allreduce, by a reduction and a broadcast.
int reduce_and_broadcast(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm);

}  // namespace tutti::runtime
