// Links Tutti's C++ API: an allreduce by the algorithm Tutti chooses, then by a named one.
//
//   c++ -std=c++17 allreduce.cpp $(pkg-config --cflags --libs tutti) -o allreduce
//   mpirun -n 4 ./allreduce
#include <mpi.h>

#include <cstdio>
#include <tutti/tutti.hpp>
#include <vector>

// Every rank contributes its rank + 1; the sum is known.
static bool sum_is_right(MPI_Comm comm) {
  int rank = 0, p = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const std::vector<double> mine(100000, rank + 1);
  std::vector<double> sum(mine.size());
  tutti::allreduce(mine.data(), sum.data(), static_cast<tutti::Count>(mine.size()), MPI_DOUBLE,
                   MPI_SUM, comm);
  for (double each : sum) {
    if (each != p * (p + 1) / 2) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, p = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const bool chosen = sum_is_right(MPI_COMM_WORLD);
  tutti::force(MPI_COMM_WORLD, "allreduce=circulant");
  const bool forced = sum_is_right(MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%d ranks: chosen algorithm %s, circulant %s\n", p, chosen ? "right" : "WRONG",
                forced ? "right" : "WRONG");
  }
  MPI_Finalize();
  return chosen && forced ? 0 : 1;
}
