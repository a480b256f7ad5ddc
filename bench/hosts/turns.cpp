// Collectives as a program calls them and as the native library serves them, in turns.
//
//   mpirun ... hosts_bench COLLECTIVES SIZES SECONDS
//
// To be started with libtutti.so preloaded: it calls MPI_Xxx, which Tutti then serves, and
// PMPI_Xxx. COLLECTIVES and SIZES (n, bytes of the whole message) are lists; SECONDS is about how
// long a case may take. All ranks are processes of one machine and read one clock, so they start a
// call at the same instant, and its time is that of the last to end.
//
// Prints for each case, after a head: collective,p,bytes,calls,tutti_us,native_us,bound_us; times
// are means of the middle half, as some calls take twice as long as others and a median would jump;
// the bound is that of the machine that TUTTI_MACHINE names.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>

#include "model/simulate.hpp"
#include "tools/bench_call.hpp"
#include "tools/options.hpp"
#include "tools/sizes.hpp"

namespace {

using namespace tutti;
using tutti::tools::BenchCall;
using tutti::tools::Server;

constexpr std::array servers{Server::tutti, Server::native};
constexpr std::size_t least_calls = 7;
constexpr std::size_t most_calls = 401;
constexpr double head_start = 500e-6;            // for all to hear when a call starts,
constexpr double head_start_of_a_rank = 150e-6;  // and so much more for each rank

struct Ranks {
  int p, me;
};

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void wait_until(double start) {
  const auto seconds = static_cast<time_t>(start);
  const timespec time{seconds, static_cast<long>((start - static_cast<double>(seconds)) * 1e9)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

// Every pair talks, also in long messages: connections are made, and their windows are open.
void connect(const Ranks& ranks, int bytes) {
  const auto count = static_cast<std::size_t>(ranks.p);
  std::vector<char> out(static_cast<std::size_t>(bytes)), in(out.size() * count);
  std::vector<MPI_Request> requests(2 * count);
  for (int rank = 0; rank < ranks.p; ++rank) {
    char* place = in.data() + out.size() * static_cast<std::size_t>(rank);
    PMPI_Irecv(place, bytes, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &requests[2 * rank]);
    PMPI_Isend(out.data(), bytes, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &requests[2 * rank + 1]);
  }
  PMPI_Waitall(2 * ranks.p, requests.data(), MPI_STATUSES_IGNORE);
  PMPI_Barrier(MPI_COMM_WORLD);
}

double most_of(double mine) {
  double most = 0;
  PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

double seconds_of(BenchCall& data, Server server, const Ranks& ranks) {
  PMPI_Barrier(MPI_COMM_WORLD);
  double start = now() + head_start + ranks.p * head_start_of_a_rank;
  PMPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  wait_until(start);
  data.run(server, MPI_COMM_WORLD);
  return most_of(now() - start);
}

void try_out(BenchCall& data, Server server, const Ranks& ranks, const Call& call) {
  data.spoil();
  seconds_of(data, server, ranks);
  if (most_of(data.is_right() ? 0 : 1) == 0) return;
  throw std::runtime_error(
      fmt::format("{} of {} bytes gives a wrong result", to_string(call.collective), call.bytes()));
}

double mean_of_middle_half(std::vector<double> values) {
  std::ranges::sort(values);
  const auto quarter = static_cast<std::ptrdiff_t>(values.size() / 4);
  const auto first = values.begin() + quarter, last = values.end() - quarter;
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

void measure(const Call& call, double budget, const Ranks& ranks, const Machine& machine) {
  BenchCall data(call, ranks.me, MPI_SUM);
  for (const Server server : servers) try_out(data, server, ranks, call);
  std::array<std::vector<double>, servers.size()> seconds;
  std::array order{std::size_t{0}, std::size_t{1}};
  std::mt19937 random(1);  // the same on all ranks
  const double begin = now();
  while (seconds[0].size() < most_calls) {
    const bool over = most_of(now() - begin) > budget;
    if (over && seconds[0].size() >= least_calls) break;
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      seconds[i].push_back(seconds_of(data, servers[i], ranks));
    }
  }
  if (ranks.me != 0) return;
  fmt::print("{},{},{:.0f},{},{:.1f},{:.1f},{:.1f}\n", to_string(call.collective), call.p,
             call.bytes(), seconds[0].size(), mean_of_middle_half(seconds[0]) * 1e6,
             mean_of_middle_half(seconds[1]) * 1e6,
             lower_bound(call.collective, call.p, call.bytes(), machine) * 1e6);
  std::fflush(stdout);
}

void run(int argc, char** argv, const Ranks& ranks) {
  if (argc != 4) throw std::invalid_argument("usage: hosts_bench COLLECTIVES SIZES SECONDS");
  const char* machine = std::getenv("TUTTI_MACHINE");
  const Machine known = read_machine(machine != nullptr ? machine : "");
  const double budget = std::strtod(argv[3], nullptr);
  if (ranks.me == 0) fmt::print("collective,p,bytes,calls,tutti_us,native_us,bound_us\n");
  for (const std::string& name : tools::parts_of(argv[1])) {
    const auto collective = collective_named(name);
    if (!collective) throw std::invalid_argument(fmt::format("'{}' is no collective", name));
    for (const std::string& size : tools::parts_of(argv[2])) {
      measure(call_of_bytes(*collective, ranks.p, tools::parse_size(size)), budget, ranks, known);
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
    connect(ranks, 200'000);
    run(argc, argv, ranks);
    connect(ranks, 1);  // MPICH 4.0.2 may not end while ranks have something to say
  } catch (const std::exception& error) {
    fmt::print(stderr, "hosts_bench: {}\n", error.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
