/* Says whether sums, and what it gathers, are right: in C, in C++, and, with PLUGIN, as a library
   that a program loads while it runs. */
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
int collectives(void) {
  int rank = 0, p = 0, right = 1;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int i = 0; i < 3; ++i) {
    int mine[2] = {rank, i}, all[2 * 64] = {0}, sums[2] = {0};
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(mine, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    right &= sums[0] == p * (p - 1) / 2 && sums[1] == p * i;
    for (int k = 0; k < p; ++k) right &= all[2 * k] == k && all[2 * k + 1] == i;
  }
  MPI_Finalize();
  if (rank == 0) printf("%d ranks: %s\n", p, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

#ifndef PLUGIN
int main(void) { return collectives(); }
#endif
