/* Plain MPI: knows nothing of Tutti, is not recompiled for it.
 *
 *   mpicc unmodified.c -o unmodified
 *   mpirun -n 4 ./unmodified
 *   mpirun -n 4 tutti exec --report -- ./unmodified
 */
#include <mpi.h>
#include <stdio.h>

enum { elements = 1 << 17 };
static double mine[elements], sum[elements];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, p, right = 1, all_right = 0, words[16] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int i = 0; i < elements; ++i) mine[i] = rank + i % 7;

  for (int i = 0; i < 100; ++i) {
    MPI_Allreduce(mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 10; ++i) {
    MPI_Allreduce(mine, sum, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  for (int i = 0; i < elements; ++i) {
    if (sum[i] != p * (p - 1) / 2 + p * (i % 7)) right = 0;
  }
  MPI_Bcast(words, 16, MPI_INT, p - 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(&right, &all_right, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %s\n", p, all_right ? "right" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
