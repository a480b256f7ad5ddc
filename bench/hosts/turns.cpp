// Collectives as Tutti serves a program's calls, with its profile, and as the native library does,
// in turns.
//
//   mpirun ... hosts_bench COLLECTIVES SIZES SECONDS
//
// COLLECTIVES and SIZES (n, bytes of the whole message) are lists; SECONDS is about how long a case
// takes: twice that while the ratio's standard error is over 1%, ten times while it is over 2%. A
// call begins after a barrier; its time is that of the rank it takes longest. Of short calls, a few
// that follow each other count as one.
//
// Prints for each case, after a head:
// collective,p,asked,bytes,calls,tutti_us,native_us,bound_us,model_us,processor_us,barrier_us
// `bytes` may be more than was asked for, as blocks are of the same size; times are means of the
// middle half, as some calls take twice as long as others and a median would jump. The bound is
// that of the machine that TUTTI_MACHINE names; on it the fastest of Tutti's algorithms takes
// model_us, by the model. Tutti's call takes processor_us of every processor that the ranks share,
// if all of them run on the same, looks that find nothing included. A barrier before or after the
// case, whichever took longer, takes barrier_us: it tells whether the machine was as quick as
// usual.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <vector>

#include "middle_half.hpp"
#include "model/machine_file.hpp"
#include "model/simulate.hpp"
#include "select/select.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/measure/bench_call.hpp"
#include "tools/measure/clock.hpp"

namespace {

using namespace tutti;
using tutti::tools::BenchCall;
using tutti::tools::Server;

constexpr std::array servers{Server::tutti, Server::native};
constexpr std::size_t least_calls = 9;
constexpr std::size_t most_calls = 4001;

struct Ranks {
  int p, me;
};

// Of a call, in seconds: that of the slowest rank, and of processors, of all ranks together.
struct Taken {
  double time, processor;
};

double over_all(double mine, MPI_Op op) {
  double result = 0;
  PMPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return result;
}

// Of this process so far.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

Taken time_calls(BenchCall& data, Server server, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double used = processor_seconds();
  const double start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) data.run(server, MPI_COMM_WORLD);
  const double end = PMPI_Wtime();
  const double uses = processor_seconds();
  return {over_all(end - start, MPI_MAX) / calls, over_all(uses - used, MPI_SUM) / calls};
}

// How many calls in a row take long enough for the clock.
int calls_at_once(BenchCall& data) {
  constexpr double batch_seconds = 30e-6;
  int calls = 1;
  while (calls < 1000 && time_calls(data, Server::native, calls).time * calls < batch_seconds)
    calls *= 2;
  return calls;
}

void try_out(BenchCall& data, Server server, const Call& call) {
  data.spoil();
  time_calls(data, server, 1);
  if (over_all(data.is_right() ? 0 : 1, MPI_MAX) == 0) return;
  throw std::runtime_error(
      fmt::format("{} of {} bytes gives a wrong result", to_string(call.collective), call.bytes()));
}

// The standard error of the mean logarithm of the ratio, of pairs measured one after the other.
double doubt_of_ratio(const std::vector<double>& ones, const std::vector<double>& others) {
  const auto n = static_cast<double>(ones.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    const double ratio = std::log(ones[i] / others[i]);
    sum += ratio;
    squares += ratio * ratio;
  }
  return std::sqrt(std::max(squares - sum * sum / n, 0.0) / (n - 1) / n);
}

// Of a case that has taken this many times its budget.
bool is_enough(double budgets, const std::vector<double>& ones, const std::vector<double>& others) {
  if (budgets < 1 || ones.size() < least_calls) return false;
  return budgets > 10 || doubt_of_ratio(ones, others) < (budgets < 2 ? 0.01 : 0.02);
}

void measure(const Call& call, std::int64_t asked, double budget, const Ranks& ranks,
             const Machine& machine) {
  BenchCall data(call, ranks.me, MPI_SUM);
  for (const Server server : servers) try_out(data, server, call);
  const int calls = calls_at_once(data);
  std::array<std::vector<double>, servers.size()> seconds;
  std::vector<double> processor;  // by Tutti
  std::array order{std::size_t{0}, std::size_t{1}};
  std::mt19937 random(1);  // the same on all ranks
  const double barrier = tools::barrier_seconds(MPI_COMM_WORLD);
  const double begin = PMPI_Wtime();
  while (seconds[0].size() < most_calls) {
    const double took = over_all(PMPI_Wtime() - begin, MPI_MAX);
    if (is_enough(took / budget, seconds[0], seconds[1])) break;
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      const Taken taken = time_calls(data, servers[i], calls);
      seconds[i].push_back(taken.time);
      if (servers[i] == Server::tutti) processor.push_back(taken.processor);
    }
  }
  const double longest_barrier = std::max(barrier, tools::barrier_seconds(MPI_COMM_WORLD));
  if (ranks.me != 0) return;
  fmt::print("{},{},{},{:.0f},{},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}\n",
             to_string(call.collective), call.p, asked, call.bytes(), seconds[0].size(),
             mean_of_middle_half(seconds[0]) * 1e6, mean_of_middle_half(seconds[1]) * 1e6,
             lower_bound(call.collective, call.p, call.bytes(), machine) * 1e6,
             Selector({}, Policy::model, machine).least(call) * 1e6,
             mean_of_middle_half(processor) / processors() * 1e6, longest_barrier * 1e6);
  std::fflush(stdout);
}

void run(int argc, char** argv, const Ranks& ranks) {
  if (argc != 4) throw std::invalid_argument("usage: hosts_bench COLLECTIVES SIZES SECONDS");
  const char* machine = std::getenv("TUTTI_MACHINE");
  const Machine known = read_machine(machine != nullptr ? machine : "");
  const double budget = std::strtod(argv[3], nullptr);
  if (ranks.me == 0)
    fmt::print(
        "collective,p,asked,bytes,calls,tutti_us,native_us,bound_us,model_us,processor_us,"
        "barrier_us\n");
  for (const std::string& name : tools::parts_of(argv[1])) {
    const auto collective = collective_named(name);
    if (!collective) throw std::invalid_argument(fmt::format("'{}' is no collective", name));
    for (const std::string& size : tools::parts_of(argv[2])) {
      const std::int64_t asked = tools::parse_size(size);
      measure(call_of_bytes(*collective, ranks.p, asked), asked, budget, ranks, known);
      if (*collective == Collective::barrier) break;  // which has no size
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  Ranks ranks{};
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks.p);
  PMPI_Comm_rank(MPI_COMM_WORLD, &ranks.me);
  try {
    tools::connect_all(MPI_COMM_WORLD, tools::long_enough);
    run(argc, argv, ranks);
    // MPICH 4.0.2 may not end while ranks have something to say.
    tools::connect_all(MPI_COMM_WORLD, 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hosts_bench: {}\n", error.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
