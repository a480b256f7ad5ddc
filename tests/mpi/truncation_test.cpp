// truncation_test: a block that is longer than its receiver expects.
//
//   mpirun -np P truncation_test
//
// P is at least 3, and the gather is one whose blocks go straight to the root.
//
// The root learns which error it was, has what others sent, and the communicator serves on.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "totals.hpp"

namespace {

long failures = 0;
long checks = 0;

void check(bool good, const char* what) {
  ++checks;
  if (good) return;
  ++failures;
  std::fprintf(stderr, "FAILED: %s\n", what);
}

int class_of(int code) {
  int result = MPI_SUCCESS;
  MPI_Error_class(code, &result);
  return result;
}

// A number from each rank, but two from rank 1 if it is `too_long`.
void gather(MPI_Comm comm, bool too_long) {
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const std::vector<int> mine{rank, rank};
  std::vector<int> all(static_cast<std::size_t>(p), -1);
  const int count = too_long && rank == 1 ? 2 : 1;
  const int code = MPI_Gather(mine.data(), count, MPI_INT, all.data(), 1, MPI_INT, 0, comm);
  if (rank != 0) return;
  check(class_of(code) == (too_long ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the error's class");
  for (int other = too_long ? 2 : 0; other < p; ++other) {
    check(all[static_cast<std::size_t>(other)] == other, "what another rank sent");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // docs/reference/limits.md
  for (const bool too_long : {false, true, false, true, false}) gather(comm, too_long);
  MPI_Comm_free(&comm);
  const bool passed = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return passed ? 0 : 1;
}
