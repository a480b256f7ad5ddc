// The end of a test program: totals of all ranks, without using a collective.
#pragma once

#include <mpi.h>

#include <cstdio>

namespace tutti::test {

// Prints "N passed, M failed" at rank 0; true on every rank if nothing failed anywhere.
// Called by all ranks of MPI_COMM_WORLD.
inline bool print_totals(long checks, long failures) {
  int rank;
  int p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  long totals[2] = {checks, failures};
  if (rank != 0) {
    MPI_Send(totals, 2, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(totals, 2, MPI_LONG, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return totals[1] == 0;
  }
  for (int peer = 1; peer < p; ++peer) {
    long theirs[2];
    MPI_Recv(theirs, 2, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    totals[0] += theirs[0];
    totals[1] += theirs[1];
  }
  for (int peer = 1; peer < p; ++peer) MPI_Send(totals, 2, MPI_LONG, peer, 2, MPI_COMM_WORLD);
  std::printf("%ld passed, %ld failed\n", totals[0] - totals[1], totals[1]);
  return totals[1] == 0;
}

}  // namespace tutti::test
