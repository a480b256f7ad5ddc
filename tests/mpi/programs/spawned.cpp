// Spawned processes: collectives between parent and children, and on the communicator of both.
//
// Seen by users as a hang: the children run without Tutti, or with other calls behind them.
// https://github.com/open-mpi/ompi/issues/7901, https://github.com/open-mpi/ompi/issues/12004
#include <numeric>
#include <vector>

#include "program.hpp"

namespace {

constexpr int children = 2, repetitions = 12;

void on_both(MPI_Comm comm) {
  int rank = 0, p = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (int i = 0; i < repetitions; ++i) {
    int one = rank + 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    program::expect(sum == p * (p + 1) / 2, "allreduce on the merged communicator");
    std::vector<double> expected(5000), data(expected.size(), -1);
    std::iota(expected.begin(), expected.end(), 0);
    if (rank == 0) data = expected;
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_DOUBLE, 0, comm);
    program::expect(data == expected, "bcast on the merged communicator");
    MPI_Barrier(comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  for (int i = 0; i < repetitions; ++i) MPI_Barrier(MPI_COMM_WORLD);  // children have no such past
  MPI_Comm between, both;
  MPI_Comm_get_parent(&between);
  const bool is_child = between != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  }
  const int parents_root = program::rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  int value = is_child ? 0 : 77;
  MPI_Bcast(&value, 1, MPI_INT, is_child ? 0 : parents_root, between);
  program::expect(value == 77, "bcast to the children");
  MPI_Intercomm_merge(between, is_child, &both);
  on_both(both);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&between);
  return program::end();
}
