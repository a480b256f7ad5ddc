#include "runtime/same_bits.hpp"

#include <climits>

#include "runtime/operators.hpp"
#include "runtime/ways.hpp"

namespace tutti::runtime {

#ifdef TUTTI_WAYS_OF_MPICH
static bool has_floating_values(MPI_Datatype type) {
  for (const MPI_Datatype each : {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_DOUBLE_PRECISION,
                                  MPI_REAL, MPI_REAL4, MPI_REAL8, MPI_DOUBLE_INT, MPI_FLOAT_INT,
                                  MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION}) {
    if (type == each) return true;
  }
  return false;
}

bool native_ranks_may_differ(Count count, MPI_Datatype type, MPI_Op op) {
  if (op == MPI_SUM || op == MPI_PROD || op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) {
    return false;
  }
  if (count <= 0 || count > INT_MAX) return false;
  if (op == MPI_MAX || op == MPI_MIN || op == MPI_MAXLOC || op == MPI_MINLOC) {
    return has_floating_values(type);
  }
  int commutes = 0;
  return is_made_by_user(op) && PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes != 0;
}
#endif

int reduce_and_broadcast(const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  constexpr int root = 0;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const bool is_inside = rank != root && sendbuf == MPI_IN_PLACE;
  const auto elements = static_cast<int>(count);
  const int result = PMPI_Reduce(is_inside ? recvbuf : sendbuf, rank == root ? recvbuf : nullptr,
                                 elements, type, op, root, comm);
  return result != MPI_SUCCESS ? result : PMPI_Bcast(recvbuf, elements, type, root, comm);
}

}  // namespace tutti::runtime
