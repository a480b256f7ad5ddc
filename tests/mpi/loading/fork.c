/* A process that forks between collectives: a child that ends by exit(), and one that runs another
   program. Says "right". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int sums_are_right(int rank, int p) {
  int right = 1;
  for (int i = 0; i < 3; ++i) {
    int mine = rank + i, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    right &= sum == p * (p - 1) / 2 + p * i;
  }
  return right;
}

int main(void) {
  int rank = 0, p = 0, status = 1;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  int right = sums_are_right(rank, p);
  const pid_t child = fork();
  if (child == 0) exit(7);
  right &= waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  right &= sums_are_right(rank, p);
  right &= system("true") == 0;
  right &= sums_are_right(rank, p);
  MPI_Finalize();
  puts(right ? "right" : "WRONG");
}
