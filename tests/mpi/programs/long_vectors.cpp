// Reductions of long vectors: what they take beside the program's buffers, and what they keep.
//
// Seen by users as programs that run out of memory near the limit of their batch job. Tutti takes
// no more at its peak than the library does for the same call on any rank, and keeps 1 MiB at most.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "program.hpp"

namespace {

constexpr int elements = 8 << 20;  // of 8 bytes: 64 MiB
constexpr long noise_kb = 2048;    // of the library's own, from call to call
constexpr long kept_kb = 1024;

long status_kb(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  long kb = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, name, std::strlen(name)) == 0) kb = std::atol(line + std::strlen(name));
  }
  if (file != nullptr) std::fclose(file);
  return kb;
}

void forget_peak() {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  if (file == nullptr) return;
  std::fputs("5", file);
  std::fclose(file);
}

struct Taken {
  long at_peak, kept;  // KiB
};

template <class Call>
Taken taken_by(Call call) {
  forget_peak();
  const long before = status_kb("VmRSS:");
  call();
  return {status_kb("VmHWM:") - before, status_kb("VmRSS:") - before};
}

long over_ranks(long mine) {
  long most = 0;
  PMPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

template <class Native, class Served>
void compare(const char* what, Native native, Served served) {
  native();  // what the library keeps for good
  served();  // the first of its shape, which is native
  const long natively = over_ranks(taken_by(native).at_peak);
  const Taken under_tutti = taken_by(served);
  const long here = over_ranks(under_tutti.at_peak);
  program::expect(here <= natively + noise_kb, std::string(what) + ": takes " +
                                                   std::to_string(here) + " KiB, natively " +
                                                   std::to_string(natively));
  program::expect(under_tutti.kept <= kept_kb,
                  std::string(what) + ": keeps " + std::to_string(under_tutti.kept) + " KiB");
  if (program::rank == 0) {
    program::say(std::string(what) + ": " + std::to_string(here) + " KiB, natively " +
                 std::to_string(natively));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  std::vector<double> in(elements, 1), out(elements, 1);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int own = elements / program::p;
  std::vector<int> counts(static_cast<std::size_t>(program::p), own);
  for (int i = 0; i < 8; ++i) MPI_Barrier(world);  // Tutti serves from one of these on
  compare(
      "allreduce in place",
      [&] { PMPI_Allreduce(MPI_IN_PLACE, in.data(), elements, MPI_DOUBLE, MPI_SUM, world); },
      [&] { MPI_Allreduce(MPI_IN_PLACE, in.data(), elements, MPI_DOUBLE, MPI_SUM, world); });
  compare(
      "reduce_scatter_block",
      [&] { PMPI_Reduce_scatter_block(in.data(), out.data(), own, MPI_DOUBLE, MPI_SUM, world); },
      [&] { MPI_Reduce_scatter_block(in.data(), out.data(), own, MPI_DOUBLE, MPI_SUM, world); });
  compare(
      "reduce_scatter",
      [&] {
        PMPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_DOUBLE, MPI_SUM, world);
      },
      [&] {
        MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_DOUBLE, MPI_SUM, world);
      });
  compare(
      "bcast", [&] { PMPI_Bcast(in.data(), elements, MPI_DOUBLE, 0, world); },
      [&] { MPI_Bcast(in.data(), elements, MPI_DOUBLE, 0, world); });
  return program::end();
}
