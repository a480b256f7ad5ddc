/* Calls MPI_*_c, MPI-4's functions with large counts, where they are there. Says "right", or that
   they are not. */
#include <mpi.h>
#include <stdio.h>

__attribute__((weak)) int MPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op,
                                          MPI_Comm);
__attribute__((weak)) int MPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*,
                                           const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                                           MPI_Comm);
__attribute__((weak)) int MPI_Gatherv_c(const void*, MPI_Count, MPI_Datatype, void*,
                                        const MPI_Count[], const MPI_Aint[], MPI_Datatype, int,
                                        MPI_Comm);
__attribute__((weak)) int MPI_Reduce_scatter_block_c(const void*, void*, MPI_Count, MPI_Datatype,
                                                     MPI_Op, MPI_Comm);

int main(void) {
  int rank = 0, p = 0, right = 1;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int known = MPI_Allreduce_c && MPI_Allgatherv_c && MPI_Gatherv_c &&
                    MPI_Reduce_scatter_block_c;
  for (int i = 0; known && i < 3; ++i) {
    int mine = rank + i, sum = 0, all[64], share = 0;
    MPI_Count counts[64];
    MPI_Aint places[64];
    MPI_Allreduce_c(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    right &= sum == p * (p - 1) / 2 + p * i;
    for (int k = 0; k < p; ++k) counts[k] = 1, places[k] = p - 1 - k;
    MPI_Allgatherv_c(&mine, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < p; ++k) right &= all[p - 1 - k] == k + i;
    /* Arrays are the root's; others may pass anything. */
    const int is_root = rank == p - 1;
    MPI_Gatherv_c(&mine, 1, MPI_INT, all, is_root ? counts : (MPI_Count*)8,
                  is_root ? places : (MPI_Aint*)8, MPI_INT, p - 1, MPI_COMM_WORLD);
    for (int k = 0; k < p; ++k) right &= all[p - 1 - k] == k + i;
    MPI_Reduce_scatter_block_c(all, &share, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    right &= share == p * (p - 1 - rank + i);
  }
  MPI_Finalize();
  puts(!known ? "without large counts" : right ? "right" : "WRONG");
}
