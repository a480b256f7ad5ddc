// Ranks of one node that were not started alike:
//
//   mpirun -n 1 started_apart MAPPINGS : -n 1 env X=1 started_apart MAPPINGS
//   mpirun -n 2 started_apart MAPPINGS spawn     starts two more, and merges both worlds
//
// MAPPINGS is how many communicators have memory in the end.
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../programs/program.hpp"
#include "resources.hpp"

namespace {

using program::expect;

constexpr int children = 2;

void collectives(MPI_Comm comm, int times) {
  int rank = 0, p = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (int i = 0; i < times; ++i) {
    const double mine = rank + i;
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    expect(sum == p * (p - 1) / 2 + p * i, "a sum");
    std::vector<int> data(100'000, rank == i % p ? i : -1);
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_INT, i % p, comm);
    expect(data == std::vector<int>(data.size(), i), "a broadcast");
    MPI_Barrier(comm);
  }
}

MPI_Comm merged(char* program, char** arguments) {
  MPI_Comm between, both;
  MPI_Comm_get_parent(&between);
  const bool is_child = between != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(program, arguments, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(between, is_child, &both);
  MPI_Comm_disconnect(&between);
  return both;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  collectives(MPI_COMM_WORLD, 10);
  if (argc > 2) {
    MPI_Comm both = merged(argv[0], argv + 1);
    collectives(both, 10);
    collectives(MPI_COMM_WORLD, 10);
    MPI_Comm_free(&both);
  }
  const int found = tutti::test::mappings().tuttis;
  expect(found == std::atoi(argv[1]), "communicators with memory: " + std::to_string(found));
  expect(tutti::test::names_left() == 0, "names of shared memory are left");
  return program::end();
}
