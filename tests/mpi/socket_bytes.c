/* socket_bytes COLLECTIVE BYTES: makes one call of it, with so many bytes as the whole message, and
   tells, by rank 0, how many bytes each rank wrote to sockets meanwhile: "sent" and the numbers. What
   an algorithm is shows in who sends how much.

   For libraries that write messages to sockets (libfabric's tcp provider), which find these functions
   first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static long sent;

static ssize_t count(ssize_t bytes) {
  if (bytes > 0) __atomic_fetch_add(&sent, bytes, __ATOMIC_RELAXED);
  return bytes;
}

ssize_t send(int file, const void* data, size_t bytes, int flags) {
  return count(syscall(SYS_sendto, file, data, bytes, flags, NULL, 0));
}

ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
  return count(syscall(SYS_sendmsg, file, message, flags));
}

static void call(const char* name, int n, int p, char* in, char* out) {
  const int block = n / p, doubles = n / 8;
  int* const blocks = malloc((size_t)p * sizeof(int));
  for (int i = 0; i < p; ++i) blocks[i] = doubles / p;
  const MPI_Comm all = MPI_COMM_WORLD;
  if (!strcmp(name, "bcast")) MPI_Bcast(in, n, MPI_CHAR, 0, all);
  if (!strcmp(name, "gather")) MPI_Gather(in, block, MPI_CHAR, out, block, MPI_CHAR, 0, all);
  if (!strcmp(name, "scatter")) MPI_Scatter(in, block, MPI_CHAR, out, block, MPI_CHAR, 0, all);
  if (!strcmp(name, "allgather")) MPI_Allgather(in, block, MPI_CHAR, out, block, MPI_CHAR, all);
  if (!strcmp(name, "alltoall")) MPI_Alltoall(in, block, MPI_CHAR, out, block, MPI_CHAR, all);
  if (!strcmp(name, "reduce")) MPI_Reduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, 0, all);
  if (!strcmp(name, "allreduce")) MPI_Allreduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, all);
  if (!strcmp(name, "reduce_scatter"))
    MPI_Reduce_scatter(in, out, blocks, MPI_DOUBLE, MPI_SUM, all);
  free(blocks);
}

int main(int argc, char** argv) {
  int rank = 0, p = 1;
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int n = atoi(argv[2]);
  char *const in = calloc((size_t)n, 1), *const out = calloc((size_t)n, 1);
  call(argv[1], n, p, in, out); /* connects */
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = sent;
  call(argv[1], n, p, in, out);
  const long mine = sent - before;
  long* const each = malloc((size_t)p * sizeof(long));
  MPI_Gather(&mine, 1, MPI_LONG, each, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("sent");
    for (int i = 0; i < p; ++i) printf(" %ld", each[i]);
    puts("");
  }
  MPI_Finalize();
  return 0;
}
