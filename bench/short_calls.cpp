// Short calls for bench/instructions.py, which counts instructions inside `short_calls` only.
//
//   mpirun -n 2 short_calls N       # N allreduces of a double, after as many to warm up
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

static void sums(int count) {
  for (int i = 0; i < count; ++i) {
    const double in = i;
    double out = 0;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

extern "C" [[gnu::noinline]] void short_calls(int count) { sums(count); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = argc == 2 ? std::atoi(argv[1]) : 0;
  if (count < 1) {
    std::fprintf(stderr, "usage: short_calls N\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  sums(count);
  short_calls(count);
  MPI_Finalize();
}
