/* devices LIBRARY early|late RANK: collectives on buffers of a device, whose stand-in (stand_in.c)
   is loaded before or after the communicator's first calls. RANK has its buffers there; -1: all
   have, -2: none. Says "right". */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 40000, few = 2 };

static char* (*device_memory)(size_t);

static int* ints(int on_device, int count) {
  const size_t bytes = (size_t)count * sizeof(int);
  return (int*)(on_device ? device_memory(bytes) : malloc(bytes));
}

int main(int argc, char** argv) {
  int rank = 0, p = 0, right = 1;
  if (argc != 4) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int turn = 0; turn < 2; ++turn) {
    if ((turn == 0) == (strcmp(argv[2], "early") == 0)) {
      void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
      if (library == NULL) return puts(dlerror()), 1;
      device_memory = (char* (*)(size_t))dlsym(library, "device_memory");
    }
    if (turn == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  const int passer = atoi(argv[3]), on_device = passer == rank || passer == -1;
  int *const one = ints(on_device, many), *const all = ints(on_device, many * p);
  int* const counts = malloc((size_t)p * sizeof(int));
  int* const displacements = malloc((size_t)p * sizeof(int));
  for (int i = 0; i < p; ++i) counts[i] = many - i, displacements[i] = i * many;

  for (int round = 0; round < 3; ++round) {
    for (int count = few; count <= many; count += many - few) {
      for (int i = 0; i < count; ++i) one[i] = rank + i;
      MPI_Allreduce(one, all, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      for (int i = 0; i < count; ++i) right &= all[i] == p * (p - 1) / 2 + p * i;
    }
    for (int i = 0; i < many; ++i) one[i] = rank == 1 ? i + round : 0;
    MPI_Bcast(one, many, MPI_INT, 1, MPI_COMM_WORLD);
    for (int i = 0; i < many; ++i) right &= one[i] == i + round;
    for (int i = 0; i < many; ++i) all[rank * many + i] = i + rank;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displacements, MPI_INT, MPI_COMM_WORLD);
    for (int of = 0; of < p; ++of) {
      for (int i = 0; i < many - of; ++i) right &= all[of * many + i] == i + of;
    }
    MPI_Gatherv(one, counts[rank], MPI_INT, all, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) right &= all[many] == round && all[many + 1] == 1 + round;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  puts(right ? "right" : "WRONG");
  return 0;
}
