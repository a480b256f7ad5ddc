// Calls of more ranks than the machine has processors: a loop of a barrier, an allreduce of 8 bytes
// and a broadcast of 64 KiB, as Tutti serves them and as the native library does, alternately.
//
//   mpirun ... hosts_crowd SECONDS
//
// SECONDS is how long each of the two takes; a library that keeps processors busy while it waits
// may need longer for a single loop. Prints, after a head, microseconds of a loop:
// tutti_us,native_us.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "middle_half.hpp"
#include "model/simulate.hpp"
#include "tools/measure/bench_call.hpp"

namespace {

using namespace tutti;
using tutti::tools::BenchCall;
using tutti::tools::Server;

constexpr int batches = 5, most_loops = 10000;

class Loop {
 public:
  Loop(int p, Rank me)
      : calls_{BenchCall(call_of_bytes(Collective::barrier, p, 0), me, MPI_SUM),
               BenchCall(call_of_bytes(Collective::allreduce, p, 8), me, MPI_SUM),
               BenchCall(call_of_bytes(Collective::bcast, p, 64 << 10), me, MPI_SUM)} {}

  // Seconds of one, by the slowest rank. Ranks have met in one that is not timed.
  double time(Server server, int loops) {
    run(server);
    const double start = PMPI_Wtime();
    for (int i = 0; i < loops; ++i) run(server);
    const double mine = PMPI_Wtime() - start;
    double longest = 0;
    PMPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest / loops;
  }

  bool is_right() {
    for (BenchCall& call : calls_) call.spoil();
    run(Server::tutti);
    const int mine = std::ranges::all_of(calls_, &BenchCall::is_right) ? 1 : 0;
    int all = 0;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all == 1;
  }

 private:
  void run(Server server) {
    for (BenchCall& call : calls_) call.run(server, MPI_COMM_WORLD);
  }

  std::array<BenchCall, 3> calls_;
};

int loops_of(double seconds, double of_one) {
  return static_cast<int>(std::clamp(seconds / batches / of_one, 1.0, double{most_loops}));
}

void measure(Loop& loop, double seconds, bool prints) {
  constexpr std::array servers{Server::tutti, Server::native};
  std::array<std::vector<double>, servers.size()> times;
  std::array<int, servers.size()> loops{};
  for (std::size_t i = 0; i < servers.size(); ++i)
    loops[i] = loops_of(seconds, loop.time(servers[i], 1));
  for (int batch = 0; batch < batches; ++batch) {
    for (std::size_t i = 0; i < servers.size(); ++i)
      times[i].push_back(loop.time(servers[i], loops[i]));
  }
  if (prints) {
    fmt::print("tutti_us,native_us\n{:.4g},{:.4g}\n", mean_of_middle_half(times[0]) * 1e6,
               mean_of_middle_half(times[1]) * 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int p = 0, me = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &p);
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  const double seconds = argc == 2 ? std::strtod(argv[1], nullptr) : 0;
  Loop loop(p, me);
  const bool is_asked_well = seconds > 0;
  if (!is_asked_well || !loop.is_right()) {
    fmt::print(stderr, "hosts_crowd: {}\n",
               is_asked_well ? "a wrong result" : "usage: hosts_crowd SECONDS");
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  measure(loop, seconds, me == 0);
  MPI_Finalize();
  return 0;
}
