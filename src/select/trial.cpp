#include "select/trial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/ranks.hpp"
#include "model/cost.hpp"
#include "model/lockstep.hpp"
#include "model/simulate.hpp"

namespace tutti {

// Those of the root's node and of the last rank's.
static std::vector<Rank> sample(const Call& call) {
  const Placement& placement = *call.placement;
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < call.p; ++rank) {
    const int node = placement.node(rank);
    if (node == placement.node(call.root) || node == placement.node(call.p - 1)) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

std::size_t ranks_looked_at(Means means, const Call& call) {
  return means == Means::simulation ? static_cast<std::size_t>(call.p) : sample(call).size();
}

static double rounds_of(const Algorithm& algorithm, const Call& call, const Machine& by) {
  return Formula(algorithm.rounds)(call.p, call.bytes(), by, std::max(call.parameter, 1),
                                   call.largest_bytes());
}

// What repeats itself in a pipeline does so within twice as many segments as a graph with p ranks
// has dimensions.
static int period(int p) {
  return 2 * static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1)));
}

// Periods in which a pipeline fills.
static int periods_to_fill(const Algorithm& algorithm, const Call& call, const Machine& by) {
  Call longer = call;
  ++longer.parameter;
  const double rounds = rounds_of(algorithm, call, by);
  const double for_each = rounds_of(algorithm, longer, by) - rounds;
  const double periods = std::ceil((rounds - for_each * call.parameter) / period(call.p));
  return static_cast<int>(std::max(periods, 1.0));
}

// With the first of its segments: so many, and those that are left when all are divided into
// periods.
static Call beginning(const Call& call, int segments) {
  Call shorter = call;
  shorter.parameter = segments + call.parameter % period(call.p);
  const double share = static_cast<double>(shorter.parameter) / call.parameter;
  const auto part = [&](Units units) {
    return static_cast<Units>(std::ceil(static_cast<double>(units) * share));
  };
  if (info(call.collective).irregular()) {
    std::vector<Units> sizes;
    sizes.reserve(static_cast<std::size_t>(call.p));
    for (int i = 0; i < call.p; ++i) sizes.push_back(part(call.layout.size(i)));
    shorter.layout = Layout(sizes);
  } else if (info(call.collective).owns_blocks) {
    shorter.layout = Layout(part(call.n() / call.p) * call.p, call.p);
  } else {
    shorter.layout = Layout(part(call.n()), call.p);
  }
  if (call.agreed) shorter.agreed = Agreed{shorter.n(), part(call.agreed->largest)};
  return shorter;
}

// Whether parts of blocks, which are rounded to units, are within 2% of their share.
static bool is_in_proportion(const Call& call, int segments) {
  constexpr double least = 50;  // units
  const double blocks = info(call.collective).owns_blocks ? call.p : 1;
  return static_cast<double>(call.n()) / blocks * segments / call.parameter >= least;
}

std::optional<Trial> trial(const Algorithm& algorithm, const Call& call, const Machine& by,
                           std::size_t ranks, std::size_t most_work) {
  const Call whole = settled(algorithm, call, by);
  const auto work_within = [&](const Call& one, std::size_t most) {
    return work_of(algorithm, one, by, ranks, most);
  };
  if (algorithm.parameter.open != Open::segments) {
    const auto work = work_within(whole, most_work);
    return work ? std::optional(Trial{whole, *work}) : std::nullopt;
  }
  const int to_fill = periods_to_fill(algorithm, whole, by);
  const bool is_long = 4 * to_fill * period(call.p) < whole.parameter;
  if (const auto work = work_within(whole, is_long ? most_work / 8 : most_work)) {
    return Trial{whole, *work};
  }
  for (int periods = to_fill; periods > 0; periods /= 2) {
    const int first = periods * period(call.p);
    const Call begun = beginning(whole, 2 * first);
    if (begun.parameter >= whole.parameter || !is_in_proportion(whole, first)) continue;
    if (const auto work = work_within(begun, most_work)) return Trial{whole, *work, first};
  }
  const auto work = work_within(whole, most_work);
  return work ? std::optional(Trial{whole, *work}) : std::nullopt;
}

static Estimate simulated(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  const Simulation found = simulate(algorithm, call, machine);
  return {found.seconds, found.bytes, static_cast<double>(found.messages), found.work};
}

// What the formula leaves when the work is taken off it is latency, of which there is less where
// messages stay on a node.
static Estimate of_two_nodes(const Algorithm& algorithm, const Call& call, const Machine& machine,
                             const Machine& by) {
  std::vector<RankSchedule> schedules;
  Estimate result;
  for (const Rank rank : sample(call)) {
    schedules.push_back({rank, usual_schedule(algorithm, call, rank)});
    result.work += work(schedules.back().schedule);
  }
  const Lockstep apart = lockstep(schedules, call.unit_bytes, by, nullptr);
  const Lockstep here = lockstep(schedules, call.unit_bytes, machine, call.placement.get());
  const double formula = Cost(algorithm).seconds(call, by);
  const double latency = std::max(formula - apart.work, 0.0) * here.latency / apart.latency;
  result.seconds = apart.latency > 0 ? latency + here.work : formula;
  return result;
}

static Estimate estimate(Means means, const Algorithm& algorithm, const Call& call,
                         const Machine& machine, const Machine& by) {
  return means == Means::simulation ? simulated(algorithm, call, machine)
                                    : of_two_nodes(algorithm, call, machine, by);
}

static Estimate extrapolated(const Estimate& shorter, const Estimate& longer, double more) {
  const auto beyond = [&](double at_shorter, double at_longer) {
    return at_longer + more * (at_longer - at_shorter);
  };
  return {beyond(shorter.seconds, longer.seconds), beyond(shorter.bytes, longer.bytes),
          beyond(shorter.messages, longer.messages)};
}

// Of the whole call, from beginnings of which each is about twice as long as the one before: as
// soon as a segment more takes as long as it did before, or they have too much work.
static Estimate by_beginnings(Means means, const Algorithm& algorithm, const Trial& trial,
                              const Machine& machine, const Machine& by, std::size_t most_work) {
  constexpr double steady = 0.01;
  const Call& call = trial.call;
  Call begun = beginning(call, trial.first_segments);
  Estimate shorter = estimate(means, algorithm, begun, machine, by);
  std::size_t work = shorter.work;
  double before = 0;  // seconds for each byte
  for (int segments = 2 * trial.first_segments;; segments *= 2) {
    const double bytes_before = begun.bytes();
    begun = beginning(call, segments);
    if (begun.parameter >= call.parameter) begun = call;
    const Estimate longer = estimate(means, algorithm, begun, machine, by);
    work += longer.work;
    const double bytes = begun.bytes() - bytes_before;
    const double each = (longer.seconds - shorter.seconds) / bytes;
    const bool is_steady = std::abs(each - before) <= steady * before;
    if (is_steady || 2 * (work + 2 * longer.work) > most_work ||
        begun.parameter == call.parameter) {
      Estimate found = extrapolated(shorter, longer, (call.bytes() - begun.bytes()) / bytes);
      if (!call.placement) {
        found.seconds = std::max(found.seconds, machine.shared_busy * found.messages);
      }
      found.work = work;
      return found;
    }
    before = each;
    shorter = longer;
  }
}

Estimate estimate(Means means, const Algorithm& algorithm, const Trial& trial,
                  const Machine& machine, const Machine& by, std::size_t most_work) {
  return trial.first_segments > 0 ? by_beginnings(means, algorithm, trial, machine, by, most_work)
                                  : estimate(means, algorithm, trial.call, machine, by);
}

}  // namespace tutti
