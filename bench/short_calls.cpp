// Short calls for bench/instructions.py, which counts instructions inside the functions short_*
// only.
//
//   mpirun -n 2 short_calls N
//
// N barriers, allreduces of a double and broadcasts of 1 KiB, each in a function of its own. Before
// each call this rank of the others comes last, so that it finds all that it would wait for.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

static std::array<char, 1024> data;

extern "C" [[gnu::noinline]] void short_barrier() { MPI_Barrier(MPI_COMM_WORLD); }

extern "C" [[gnu::noinline]] void short_allreduce() {
  const double in = 1;
  double out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

extern "C" [[gnu::noinline]] void short_bcast() {
  MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = argc == 2 ? std::atoi(argv[1]) : 0;
  if (count < 1) {
    std::fprintf(stderr, "usage: short_calls N\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  constexpr unsigned late_us = 2000;
  for (const auto call : {short_barrier, short_allreduce, short_bcast}) {
    for (int i = 0; i < count; ++i) {
      if (rank == 0) usleep(late_us);
      call();
    }
  }
  MPI_Finalize();
}
