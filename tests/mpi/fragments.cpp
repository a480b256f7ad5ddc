// A broadcast of 1 MiB along a chain, with nodes of two ranks, on a machine whose messages between
// nodes go in fragments of 1200 bytes: they do, and messages inside a node go whole.
//
//   LD_PRELOAD="libtutti.so libtwo_per_node.so" TUTTI_MACHINE=fragments.json
//   TUTTI_FORCE=bcast=chain:16 mpirun -np 4 fragments
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "totals.hpp"

static int largest_near = 0, largest_far = 0;  // bytes sent at once

// libtutti.so finds the program's PMPI functions before the library's.
extern "C" int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &size);
  int& largest = rank / 2 == to / 2 ? largest_near : largest_far;
  largest = std::max(largest, count * size);
  const auto library = reinterpret_cast<decltype(&PMPI_Isend)>(dlsym(RTLD_NEXT, "PMPI_Isend"));
  return library(data, count, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> data((1 << 20) / sizeof(int));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = rank == 0 ? static_cast<int>(i) : -1;
  MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_INT, 0, MPI_COMM_WORLD);
  const int near = largest_near, far = largest_far;  // what follows sends too
  long failures = 0;
  for (std::size_t i = 0; i < data.size(); ++i) failures += data[i] != static_cast<int>(i);
  const int sent[] = {near, far};
  int all[] = {0, 0};
  MPI_Allreduce(sent, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (all[0] != 65536 || all[1] <= 1100 || all[1] > 1200) {
    ++failures;
    std::fprintf(stderr, "FAILED: at most %d bytes were sent at once in a node, %d between nodes\n",
                 all[0], all[1]);
  }
  const bool passed = tutti::test::print_totals(static_cast<long>(data.size()) + 1, failures);
  MPI_Finalize();
  return passed ? 0 : 1;
}
