// api: a program that links libtutti.so. What the engine throws arrives as the program's own
// exception, though each has a C++ library of its own.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <tutti/tutti.hpp>

static bool refuses_what_is_not_known() {
  try {
    tutti::force(MPI_COMM_WORLD, "allreduce=wave");
  } catch (const std::invalid_argument& error) {
    return std::strstr(error.what(), "wave") && std::strstr(error.what(), "circulant");
  }
  return false;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  bool right = refuses_what_is_not_known();
  tutti::force(MPI_COMM_WORLD, "allreduce=circulant");
  for (int i = 0; i < 3; ++i) {
    const int one = 1;
    int sum = 0;
    tutti::allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    right = right && sum == p;
  }
  std::puts(right ? "right" : "WRONG");
  MPI_Finalize();
}
