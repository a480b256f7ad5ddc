// A measurement's start on a simulated cluster, whose time is exact: ranks begin together, or each
// as it leaves MPI_Barrier.
#include "tools/measure/clock.hpp"

#include <simgrid/actor.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using tutti::tools::Clock;
using tutti::tools::Start;

namespace {

constexpr double late = 200e-6;
int rank = 0, p = 1, failures = 0;

void check(bool holds, const char* what, double seconds) {
  if (rank != 0 || holds) return;
  std::printf("%s: %g us\n", what, seconds * 1e6);
  ++failures;
}

struct Seen {
  double came = 0;   // the last rank
  double first = 0;  // rank to start
  double last = 0;
  double took = 0;     // the slowest, from its own start
  double seconds = 0;  // as the clock has it
};

double most_of(double mine) {
  double most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

// Work is a message around the ring; the last rank comes later than the others.
Seen see(Clock& clock, Start how) {
  std::vector<char> data(1 << 20);
  if (rank == p - 1) sg_actor_sleep_for(late);
  const double came = MPI_Wtime();
  double start = 0, end = 0;
  const double seconds = clock.time(how, [&] {
    start = MPI_Wtime();
    MPI_Sendrecv_replace(data.data(), static_cast<int>(data.size()), MPI_BYTE, (rank + 1) % p, 0,
                         (rank + p - 1) % p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end = MPI_Wtime();
  });
  return {most_of(came), -most_of(-start), most_of(start), most_of(end - start), seconds};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  {
    constexpr double close = 5e-6;  // how exactly a rank that looks at its clock meets an instant
    constexpr double latency = 20e-6;
    Clock clock(MPI_COMM_WORLD);
    const Seen together = see(clock, Start::together);
    check(together.last - together.first <= close, "together, but apart by",
          together.last - together.first);
    const Seen again = see(clock, Start::together);
    check(std::abs(again.seconds - together.seconds) <= close, "repeated, differs by",
          again.seconds - together.seconds);

    // Who has come last hears of the others' coming at once, they of its own after some latencies.
    const Seen barrier = see(clock, Start::from_barrier);
    check(barrier.first >= barrier.came, "a rank starts before all have come, by",
          barrier.came - barrier.first);
    check(barrier.last <= barrier.came + 1e-3, "the last rank has come, but one starts later by",
          barrier.last - barrier.came);
    check(barrier.last - barrier.first >= latency / 2, "from a barrier, but apart only by",
          barrier.last - barrier.first);
    check(std::abs(barrier.seconds - barrier.took) <= close,
          "not the time of the slowest from its own start, but off by",
          barrier.seconds - barrier.took);
  }
  MPI_Finalize();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
