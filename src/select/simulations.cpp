#include "select/simulations.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "algorithms/registry.hpp"
#include "model/cost.hpp"
#include "model/lockstep.hpp"
#include "model/simulate.hpp"

namespace tutti {

namespace {

constexpr std::size_t most_simulated_steps = 20'000;
constexpr std::size_t most_estimated_steps = 200'000;

// What a simulation depends on.
using Key =
    std::tuple<Collective, int, Units, Units, Units, bool, bool, bool, std::uint64_t, Machine>;

struct Table {
  std::mutex mutex;
  std::map<Key, Corrections> entries;
};

}  // namespace

// An inline function's variable is one in the whole process, also where a simulator loads a program
// once for every rank: they then simulate each call once.
inline Table& table() {
  static Table shared;
  return shared;
}

// Calls `ratio(smaller)` for the call, or for a shorter one with fewer segments, which are as long:
// the first whose schedules have few enough steps. `ranks` are looked at.
template <class Ratio>
static std::optional<double> shrunk(const Algorithm& algorithm, const Call& call, const Machine& by,
                                    std::size_t ranks, std::size_t most_steps, Ratio ratio) {
  const Cost cost(algorithm);
  for (Call smaller = call;;) {
    smaller.parameter = cost.parameter(smaller, by);
    if (build(algorithm, smaller, call.root).steps.size() * ranks <= most_steps) {
      return ratio(smaller, cost);
    }
    if (algorithm.parameter.open != Open::segments || smaller.n() < 2 * call.p) return std::nullopt;
    smaller.layout = Layout(smaller.n() / 2 / call.p * call.p, call.p);
    smaller.parameter = 0;
  }
}

static std::optional<double> simulated(const Algorithm& algorithm, const Call& call,
                                       const Machine& machine, const Machine& by) {
  const auto ratio = [&](const Call& smaller, const Cost& cost) {
    const double seconds = simulate(algorithm, smaller, machine).seconds;
    return seconds > 0 ? seconds / cost.seconds(smaller, by) : 1;
  };
  const auto ranks = static_cast<std::size_t>(call.p);
  return shrunk(algorithm, call, by, ranks, most_simulated_steps, ratio);
}

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

static std::optional<double> estimated(const Algorithm& algorithm, const Call& call,
                                       const Machine& machine, const Machine& by) {
  const std::vector<Rank> ranks = sample(call);
  const auto ratio = [&](const Call& smaller, const Cost& cost) {
    std::vector<RankSchedule> schedules;
    for (const Rank rank : ranks) schedules.push_back({rank, build(algorithm, smaller, rank)});
    const Lockstep apart = lockstep(schedules, call.unit_bytes, by, nullptr);
    const Lockstep here = lockstep(schedules, call.unit_bytes, machine, call.placement.get());
    const double formula = cost.seconds(smaller, by);
    if (formula == 0 || apart.latency == 0) return 1.0;
    const double latency = std::max(formula - apart.work, 0.0) * here.latency / apart.latency;
    return (latency + here.work) / formula;
  };
  return shrunk(algorithm, call, by, ranks.size(), most_estimated_steps, ratio);
}

// By one means for all algorithms, or they could not be compared.
static Corrections found_by(decltype(simulated) means, const Call& call, const Machine& machine,
                            const Machine& by) {
  Corrections result;
  for (const Algorithm* each : algorithms_of(call.collective)) {
    result.push_back(accepts(*each, call) ? means(*each, call, machine, by) : std::nullopt);
  }
  return result;
}

static bool is_whole(const Corrections& found, const Call& call) {
  const std::vector<const Algorithm*> all = algorithms_of(call.collective);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!found[i] && accepts(*all[i], call)) return false;
  }
  return true;
}

const Corrections& corrections(const Call& call, const Machine& machine, const Machine& by) {
  const Key key{call.collective,
                call.p,
                call.n(),
                call.layout.largest(),
                call.unit_bytes,
                call.exact,
                call.in_place,
                call.commutative,
                call.placement ? call.placement->fingerprint() : 0,
                machine};
  const std::lock_guard lock(table().mutex);
  const auto [found, fresh] = table().entries.try_emplace(key);
  if (!fresh) return found->second;
  found->second = found_by(simulated, call, machine, by);
  if (!is_whole(found->second, call)) found->second = found_by(estimated, call, machine, by);
  return found->second;
}

}  // namespace tutti
