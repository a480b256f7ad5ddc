#include "tools/measure/bench_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tools/measure/forcing.hpp"
#include "tools/measure/session.hpp"
#include "tools/show/candidates.hpp"
#include "tutti/tutti.hpp"

namespace tutti::tools {

namespace {

// Enough for clocks, and the least that will do. Calls in a row overlap: a root may be done with
// one long before the others.
constexpr double batch_seconds = 3e-6;
constexpr int most_calls = 2000;

// Seconds per call.
double time_batch(BenchCall& data, const Contender& contender, int calls, Start how, Clock& clock) {
  const Forcing forcing(contender.peer);
  const auto call_all = [&] {
    for (int i = 0; i < calls; ++i) data.run(contender.server(), contender.comm);
  };
  return clock.time(how, call_all) / calls;
}

// As many calls as last long enough for the clock, the same number on all ranks. The first took
// `first` seconds.
int calls_per_batch(BenchCall& data, const Contender& contender, double first, Clock& clock) {
  int calls = 1;
  for (double each = first; each < surely_long;) {
    each = time_batch(data, contender, calls, Start::together, clock);
    const double wanted = batch_seconds / std::max(each, 1e-9);
    if (wanted < 2 * calls || calls >= most_calls) return calls;
    calls = static_cast<int>(std::min<double>(std::ceil(wanted), most_calls));
  }
  return calls;
}

// A first call, whose result must be right.
void try_out(BenchCall& data, const Contender& contender, const Call& call, Clock& clock,
             MPI_Comm world, Measurement& result) {
  Call forced = call;
  forced.agreed = Agreed{call.n(), call.layout.largest()};  // where its algorithm is, ranks agree
  if (contender.algorithm != nullptr && !accepts(*contender.algorithm, forced)) {
    result.obstacle = "needs " + requirements(*contender.algorithm);
    return;
  }
  data.spoil();
  result.first = time_batch(data, contender, 1, Start::together, clock);
  result.right = combined(data.is_right() ? 0 : 1, MPI_INT, MPI_MAX, world) == 0;
  if (result.right) result.calls = calls_per_batch(data, contender, result.first, clock);
}

}  // namespace

Contender contender(Collective collective, const Variant& variant, MPI_Comm world) {
  Contender one{variant};
  PMPI_Comm_dup(world, &one.comm);
  if (variant.algorithm != nullptr) {
    force(one.comm, fmt::format("{}={}", to_string(collective), one.name()));
  }
  return one;
}

Contender contender(const NamedPeer& peer, MPI_Comm world) {
  Contender one;
  one.peer = peer;
  const Forcing forcing(peer);
  PMPI_Comm_dup(world, &one.comm);
  PMPI_Comm_set_errhandler(one.comm, MPI_ERRORS_RETURN);
  return one;
}

std::string Contender::name() const {
  return peer.peer != nullptr ? full_name(peer) : full_name(*this);
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

Race::Race(const std::vector<Contender>& contenders, const Call& call, MPI_Op op, MPI_Comm world)
    : contenders_(contenders),
      clock_(world),
      data_(call, rank_in(world), op),
      results_(contenders.size()),
      dropped_(contenders.size()),
      order_(contenders.size()) {
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    try_out(data_, contenders[i], call, clock_, world, results_[i]);
  }
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (takes_part(i)) shortest = std::min(shortest, results_[i].first);
  }
  start_ = clock_.start_for(shortest);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

void Race::round(const std::function<void()>& progress) {
  clock_.synchronise();
  std::ranges::shuffle(order_, random_);
  for (const std::size_t i : order_) {
    if (takes_part(i)) {
      Measurement& result = results_[i];
      result.seconds.push_back(time_batch(data_, contenders_[i], result.calls, start_, clock_));
    }
    progress();
  }
}

double Race::in_a_row(std::size_t contender, int calls) {
  clock_.synchronise();
  return time_batch(data_, contenders_[contender], calls, Start::together, clock_);
}

std::vector<Measurement> measure(const std::vector<Contender>& contenders, const Call& call,
                                 MPI_Op op, int repetitions, MPI_Comm world,
                                 const std::function<void()>& progress) {
  Race race(contenders, call, op, world);
  for (int repetition = 0; repetition < repetitions; ++repetition) race.round(progress);
  std::vector<Measurement> results = race.results();
  for (Measurement& each : results) std::ranges::sort(each.seconds);
  return results;
}

}  // namespace tutti::tools
