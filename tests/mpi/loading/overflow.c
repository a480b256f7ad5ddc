/* A program of which AddressSanitizer is to say that it writes past an array, if asked to. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int one = 1, sum = 0, p = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char* const array = malloc(4);
  array[argc + 2] = 1;
  puts(sum == p ? "right" : "WRONG");
  fflush(stdout);
  free(array);
  MPI_Finalize();
  _Exit(0); /* leaks are the MPI library's */
}
