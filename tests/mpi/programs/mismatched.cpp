// Calls whose ranks, or whose two sides, say different sizes: forbidden, and met in the wild.
//
// Seen by users as an error, as memory of theirs overwritten, or as a hang. Natively such a call
// ends in an error or does no harm. https://github.com/open-mpi/ompi/issues/126,
// https://github.com/open-mpi/ompi/issues/3937
//
//   mismatched CASE SENT RECEIVED     counts of a block
//
// Buffers end at a page that nobody may touch. No rank hangs: each is served or gets an error. What
// a rank has received is right if none got one.
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "program.hpp"

using program::p;
using program::rank;

namespace {

const MPI_Comm comm = MPI_COMM_WORLD;

void overrun(int) {
  static const char text[] = "FAILED: memory beyond a buffer was touched\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  _exit(3);
}

// `count` ints, all -1, before a guard page. Never freed.
int* guarded(int count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int), page = 4096;
  const std::size_t pages = (bytes + page - 1) / page * page;
  auto* memory = static_cast<char*>(
      mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + pages, page, PROT_NONE);
  return static_cast<int*>(std::memset(memory + pages - bytes, -1, bytes));
}

// What a broadcast brought, to be looked at when no rank got an error.
struct Broadcast {
  int* data = nullptr;
  int count = 0;
} broadcast;

// The root sends `sent`; an odd rank expects `received`.
int bcast(int sent, int received) {
  const int mine = rank % 2 == 1 ? received : sent;
  broadcast = {guarded(mine), mine < sent ? mine : sent};
  for (int i = 0; rank == 0 && i < mine; ++i) broadcast.data[i] = i;
  return MPI_Bcast(broadcast.data, mine, MPI_INT, 0, comm);
}

int call(const std::string& name, int sent, int received) {
  const bool many_in = name == "scatter" || name == "alltoall", many_out = name != "scatter";
  const int* in = guarded(many_in ? sent * p : sent);
  int* out = guarded(many_out ? received * p : received);
  if (name == "gather") return MPI_Gather(in, sent, MPI_INT, out, received, MPI_INT, 0, comm);
  if (name == "scatter") return MPI_Scatter(in, sent, MPI_INT, out, received, MPI_INT, 0, comm);
  if (name == "allgather") return MPI_Allgather(in, sent, MPI_INT, out, received, MPI_INT, comm);
  if (name == "alltoall") return MPI_Alltoall(in, sent, MPI_INT, out, received, MPI_INT, comm);
  if (name == "bcast") return bcast(sent, received);
  program::expect(false, "'" + name + "' is no case");
  return MPI_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  std::signal(SIGSEGV, overrun);
  std::signal(SIGBUS, overrun);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int code = call(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
  // After an error messages may be left over: nothing more of MPI is sure to work.
  if (code != MPI_SUCCESS) MPI_Abort(comm, 40 + program::class_of(code));
  MPI_Barrier(comm);
  for (int i = 0; i < broadcast.count; ++i) {
    program::expect(broadcast.data[i] == i, "broadcast data");
  }
  return program::end();
}
