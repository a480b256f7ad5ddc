// MPICH's Fortran interfaces call MPI_* inside and are seen there, with one exception: a call of
// `use mpi_f08` without buffers goes to PMPI_* directly.
#include <mpi.h>

extern "C" __attribute__((visibility("default"))) void mpi_barrier_f08_(const MPI_Fint* comm,
                                                                        MPI_Fint* error) {
  const int result = MPI_Barrier(PMPI_Comm_f2c(*comm));
  if (error != nullptr) *error = result;
}
