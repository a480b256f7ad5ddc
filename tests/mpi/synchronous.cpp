// synchronous some|none: whether messages of a broadcast of 1 MiB wait for their receivers. They do
// where they are sent by MPI_Issend, which is counted here: libtutti.so finds the program's PMPI
// functions before the library's.
//
//   mpirun -np 3 tutti exec --force bcast=circulant_pair:8 -- synchronous some
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "totals.hpp"

static int synchronous = 0;

extern "C" int PMPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag,
                           MPI_Comm comm, MPI_Request* request) {
  ++synchronous;
  const auto library = reinterpret_cast<decltype(&PMPI_Issend)>(dlsym(RTLD_NEXT, "PMPI_Issend"));
  return library(data, count, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> data(1 << 20, rank == 0 ? 'x' : ' ');
  MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  long failures = 0;
  for (const char each : data) failures += each != 'x';
  int all = 0;
  MPI_Allreduce(&synchronous, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool some = argc > 1 && std::strcmp(argv[1], "some") == 0;
  if ((all > 0) != some) {
    ++failures;
    std::fprintf(stderr, "FAILED: %d messages were sent by MPI_Issend\n", all);
  }
  const bool passed = tutti::test::print_totals(static_cast<long>(data.size()) + 1, failures);
  MPI_Finalize();
  return passed ? 0 : 1;
}
