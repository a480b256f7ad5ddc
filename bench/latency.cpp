// What Tutti adds to the latency of a short call: an 8-byte allreduce between two ranks, as a
// program calls it, against the same algorithm written by hand, and the native library's.
//
//   mpirun -n 2 latency [--check]      --check: exit status 1 if Tutti takes over 1.15 of by hand
//
// Batches of the three alternate, so that all meet the same disturbances; a disturbance only ever
// adds time, so ratios are those of the best quartiles.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

constexpr double most_ratio = 1.15;
constexpr int batches = 601;
constexpr int calls_per_batch = 100;

enum Contender { by_tutti, by_hand, by_native };
constexpr std::array<Contender, 3> contenders{by_tutti, by_hand, by_native};

struct Ranks {
  MPI_Comm comm;
  int rank;
};

// Recursive doubling for a power of two of ranks: what a careful programmer would write.
void allreduce_by_hand(const double* in, double* out, const Ranks& ranks) {
  int p = 0;
  PMPI_Comm_size(ranks.comm, &p);
  double received = 0;
  std::memcpy(out, in, sizeof *out);
  for (int distance = 1; distance < p; distance *= 2) {
    const int peer = ranks.rank ^ distance;
    PMPI_Sendrecv(out, 1, MPI_DOUBLE, peer, 0, &received, 1, MPI_DOUBLE, peer, 0, ranks.comm,
                  MPI_STATUS_IGNORE);
    PMPI_Reduce_local(&received, out, 1, MPI_DOUBLE, MPI_SUM);
  }
}

void allreduce(Contender contender, const double* in, double* out, const Ranks& ranks) {
  switch (contender) {
    case by_tutti:
      MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, ranks.comm);
      break;
    case by_hand:
      allreduce_by_hand(in, out, ranks);
      break;
    case by_native:
      PMPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, ranks.comm);
      break;
  }
}

// Seconds per call.
double time_batch(Contender contender, const Ranks& ranks) {
  const double in = 1;
  double out = 0;
  PMPI_Barrier(ranks.comm);
  const double start = PMPI_Wtime();
  for (int i = 0; i < calls_per_batch; ++i) allreduce(contender, &in, &out, ranks);
  const double seconds = (PMPI_Wtime() - start) / calls_per_batch;
  if (out != 2) {
    std::fprintf(stderr, "latency: 1 + 1 is %g\n", out);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  return seconds;
}

using Times = std::array<std::vector<double>, contenders.size()>;

// The slower rank's time of each batch.
Times measure(const Ranks& ranks) {
  Times times;
  std::mt19937 random(1);  // the same order on both ranks
  std::array<Contender, 3> order = contenders;
  for (Contender contender : contenders) {
    for (int warm_up = 0; warm_up < 10; ++warm_up) time_batch(contender, ranks);
  }
  for (int i = 0; i < batches; ++i) {
    std::ranges::shuffle(order, random);
    for (Contender contender : order) times[contender].push_back(time_batch(contender, ranks));
  }
  for (std::vector<double>& each : times) {
    PMPI_Allreduce(MPI_IN_PLACE, each.data(), batches, MPI_DOUBLE, MPI_MAX, ranks.comm);
    std::ranges::sort(each);
  }
  return times;
}

// Each rank gets a processor of its own, if the launcher left it a choice.
void pin(int rank) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (CPU_COUNT(&allowed) < 2) return;
  for (int cpu = 0, number = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || number++ != rank) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
  }
}

// The ratio of the best quartiles, Tutti to by hand.
double report(const Times& times) {
  double load = 0;
  getloadavg(&load, 1);
  const auto ns = [&](Contender contender, std::size_t part) {
    return times[contender][batches / part] * 1e9;
  };
  const double ratio = ns(by_tutti, 4) / ns(by_hand, 4);
  std::printf(
      "8-byte allreduce, ns median (best quartile): Tutti %.0f (%.0f), by hand %.0f (%.0f), native "
      "%.0f (%.0f); Tutti / by hand %.3f (%.3f), load %.1f\n",
      ns(by_tutti, 2), ns(by_tutti, 4), ns(by_hand, 2), ns(by_hand, 4), ns(by_native, 2),
      ns(by_native, 4), ns(by_tutti, 2) / ns(by_hand, 2), ratio, load);
  return ratio;
}

int run(bool check) {
  Ranks ranks{MPI_COMM_NULL, 0};
  int p = 0;
  PMPI_Comm_dup(MPI_COMM_WORLD, &ranks.comm);
  PMPI_Comm_rank(ranks.comm, &ranks.rank);
  PMPI_Comm_size(ranks.comm, &p);
  int status = 0;
  if (p != 2) {
    if (ranks.rank == 0) std::fprintf(stderr, "latency: %d ranks; accepted are 2\n", p);
    status = 2;
  } else {
    pin(ranks.rank);
    tutti::force(ranks.comm, "allreduce=recursive_doubling");
    const Times times = measure(ranks);  // the same on both ranks
    if (ranks.rank == 0 && report(times) > most_ratio && check) {
      std::printf("FAIL: Tutti may take at most %.2f of by hand\n", most_ratio);
      status = 1;
    }
  }
  PMPI_Comm_free(&ranks.comm);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::string_view(argv[1]) == "--check";
  MPI_Init(&argc, &argv);
  int status = 2;
  if (argc == 1 || check) {
    status = run(check);
  } else {
    std::fprintf(stderr, "latency: '%s' is no option; accepted is --check\n", argv[1]);
  }
  MPI_Finalize();
  return status;
}
