#include "tools/measure/bench_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tools/measure/forcing.hpp"
#include "tools/measure/race_rules.hpp"
#include "tools/measure/session.hpp"
#include "tools/measure/statistics.hpp"
#include "tools/show/candidates.hpp"
#include "tutti/tutti.hpp"

namespace tutti::tools {

namespace {

// Enough for clocks, and the least that will do. Calls in a row overlap: a root may be done with
// one long before the others.
constexpr double batch_seconds = 3e-6;
constexpr int most_calls = 2000;
// Of calls that follow each other at once.
constexpr double seconds_in_a_row = 50e-6;

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

bool repeats_itself(const Race& race) {
  constexpr double same = 1e-3;
  for (std::size_t i = 0; i < race.results().size(); ++i) {
    if (!race.takes_part(i)) continue;
    const auto [least, most] = std::ranges::minmax(race.results()[i].seconds);
    if (most > (1 + same) * least) return false;
  }
  return true;
}

void drop_hopeless(Race& race, std::size_t first, std::size_t last, double times) {
  constexpr double times_if_long = 1.3;
  const std::vector<Measurement>& results = race.results();
  double leader = std::numeric_limits<double>::infinity();  // its longest time
  for (std::size_t i = first; i < last; ++i) {
    if (race.takes_part(i)) leader = std::min(leader, std::ranges::max(results[i].seconds));
  }
  if (leader >= surely_long) times = times_if_long;
  for (std::size_t i = first; i < last; ++i) {
    if (!race.takes_part(i)) continue;
    const double least = std::min(results[i].first, std::ranges::min(results[i].seconds));
    if (least > times * leader) race.drop(i);
  }
}

bool is_surely_faster_in_a_row(Race& race, std::size_t one, std::size_t other) {
  const int rounds = repeats_itself(race) ? 1 : 20;
  const auto calls = static_cast<int>(seconds_in_a_row / middle(race.results()[other].seconds));
  if (calls <= race.results()[other].calls) return true;
  std::vector<double> ones, others;
  for (int i = 0; i < rounds; ++i) {
    ones.push_back(race.in_a_row(one, calls));
    others.push_back(race.in_a_row(other, calls));
  }
  return is_surely_faster(ones, others);
}

bool is_decided(Race& race, std::size_t native, std::size_t first, std::size_t last) {
  const std::vector<Measurement>& results = race.results();
  std::size_t best = native;
  for (std::size_t i = first; i < last; ++i) {
    if (race.takes_part(i) && middle(results[i].seconds) < middle(results[best].seconds)) best = i;
  }
  const Quartiles leader = quartiles(results[best].seconds);
  bool decided = true;
  for (std::size_t i = first; i < last; ++i) {
    if (i == best || !race.takes_part(i)) continue;
    if (is_surely_faster(results[best].seconds, results[i].seconds)) {
      if (i != native) race.drop(i);
    } else {
      const Quartiles other = quartiles(results[i].seconds);
      const double width = std::max(leader.upper - leader.lower, other.upper - other.lower);
      decided = decided && width < indifference * leader.middle;
    }
  }
  return decided;
}

}  // namespace tutti::tools
