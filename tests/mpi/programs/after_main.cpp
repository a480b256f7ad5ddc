// Collectives, communicators and MPI_Finalize in static destructors and atexit handlers.
//
// Seen by users as a crash or a hang at the end of a program whose wrapper class around MPI is a
// global object, or that registers MPI_Finalize with atexit.
//
//   after_main same|size|comm|barrier|finalize [atexit]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "program.hpp"

namespace {

const char* what = "";  // nothing is done where main was not reached
int sums = 0;

void sum_of(int count) {
  std::vector<int> in(static_cast<std::size_t>(count), 1), out(in.size());
  MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  program::expect(out.back() == program::p, "a sum");
  ++sums;
}

void use_communicator() {
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int i = 0; i < 8; ++i) MPI_Barrier(other);
  MPI_Comm_free(&other);
}

void finish() {
  if (std::strcmp(what, "same") == 0) sum_of(1);
  if (std::strcmp(what, "size") == 0) sum_of(500);
  if (std::strcmp(what, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (std::strcmp(what, "comm") == 0) use_communicator();
  if (program::rank == 0) std::printf("%s after main, and the end\n", what);
  std::fflush(stdout);
  const int status = program::end();
  if (status != 0) std::_Exit(status);
}

struct Global {
  bool used = true;
  ~Global() {
    if (used && *what != '\0') finish();
  }
} global;

}  // namespace

int main(int argc, char** argv) {
  global.used = argc < 3;
  if (argc > 2) std::atexit(finish);
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  for (int i = 0; i < 8; ++i) sum_of(1);
  what = argv[1];
}
