// A measurement's start on a simulated cluster, whose time is exact: ranks begin together, or out
// of step by at most what was asked for, and never by more than ranks that leave a barrier.
#include "tools/clock.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using tutti::tools::Clock;

namespace {

int rank = 0, p = 1, failures = 0;

void check(bool holds, const char* what, double seconds) {
  if (rank != 0 || holds) return;
  std::printf("%s: %g us\n", what, seconds * 1e6);
  ++failures;
}

struct Seen {
  std::vector<double> starts;  // in order, from the first
  double seconds = 0;          // as the clock has it
};

// Work is a message around the ring.
Seen see(Clock& clock, double apart) {
  std::vector<char> data(1 << 20);
  double start = 0;
  Seen seen{std::vector<double>(static_cast<std::size_t>(p))};
  seen.seconds = clock.time(apart, [&] {
    start = MPI_Wtime();
    MPI_Sendrecv_replace(data.data(), static_cast<int>(data.size()), MPI_BYTE, (rank + 1) % p, 0,
                         (rank + p - 1) % p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  MPI_Allgather(&start, 1, MPI_DOUBLE, seen.starts.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  std::ranges::sort(seen.starts);
  const double first = seen.starts.front();
  for (double& each : seen.starts) each -= first;
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  {
    constexpr double close = 5e-6;  // how exactly a rank that looks at its clock meets an instant
    constexpr double apart = 40e-6;
    Clock clock(MPI_COMM_WORLD);
    const Seen together = see(clock, 0);
    check(together.starts.back() <= close, "together, but apart by", together.starts.back());
    const Seen again = see(clock, 0);
    check(std::abs(again.seconds - together.seconds) <= close, "repeated, differs by",
          again.seconds - together.seconds);

    const Seen out_of_step = see(clock, apart);
    const double last = out_of_step.starts.back();
    check(last >= apart / 2 && last <= apart + close, "out of step by", last);
    const auto near = [](double a, double b) { return b - a < apart / (4.0 * p); };
    check(std::ranges::adjacent_find(out_of_step.starts, near) == out_of_step.starts.end(),
          "two ranks start together, of those apart by", last);
    check(out_of_step.seconds >= together.seconds - close &&
              out_of_step.seconds <= together.seconds + apart + close,
          "out of step, takes", out_of_step.seconds);

    // As far apart as ranks leave a barrier: some latencies, of 20 us each.
    const double most = see(clock, 1).starts.back();
    check(most >= apart && most <= 1e-3, "asked to be a second out of step, is so by", most);
  }
  MPI_Finalize();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
