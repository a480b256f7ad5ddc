#include "select/simulations.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "algorithms/registry.hpp"
#include "model/cost.hpp"
#include "model/lockstep.hpp"
#include "model/simulate.hpp"

namespace tutti {

namespace {

// Formulas are further off where ranks share nodes.
constexpr std::size_t most_simulated_steps = 20'000;
constexpr std::size_t most_simulated_flat = 5'000;
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

// The call as the algorithm serves it, or a shorter one with fewer segments, which are as long: the
// first whose schedules, of so many ranks, have few enough steps. Nothing if there is none.
static std::optional<Call> short_enough(const Algorithm& algorithm, const Cost& cost,
                                        const Call& call, const Machine& by, std::size_t ranks,
                                        std::size_t most_steps) {
  for (Call shorter = call;;) {
    shorter.parameter = cost.parameter(shorter, by);
    if (build(algorithm, shorter, call.root).steps.size() * ranks <= most_steps) return shorter;
    if (algorithm.parameter.open != Open::segments || shorter.n() < 2 * call.p) return std::nullopt;
    shorter.layout = Layout(shorter.n() / 2 / call.p * call.p, call.p);
    shorter.parameter = 0;
  }
}

// Short segments share ports, which formulas know nothing of: numbers of them to be tried, beside
// the one the formula thinks best. Powers of two, so that those of a somewhat larger call are on
// the same side of where messages begin to wait for their receivers; none whose side is not known.
static std::vector<int> numbers_of_segments(const Algorithm& algorithm, const Call& call,
                                            const Machine& machine) {
  constexpr int most_tried = 16;
  std::vector<int> numbers{call.parameter};
  if (algorithm.parameter.open != Open::segments) return numbers;
  for (int each = 1; each <= std::min(most_tried, most(Open::segments, call)); each *= 2) {
    const double bytes = call.bytes() / each;
    const bool is_clear = bytes < machine.overlap || bytes >= machine.eager;
    if (is_clear && each != call.parameter) numbers.push_back(each);
  }
  return numbers;
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

double Correction::factor(int parameter) const {
  const auto far = [&](const Tried& each) { return std::abs(each.parameter - parameter); };
  return std::ranges::min_element(tried, {}, far)->factor;
}

static double ratio(double seconds, double formula) {
  return seconds > 0 && formula > 0 ? seconds / formula : 1;
}

// `call` stands for `asked`: it is the same, or shorter.
static Correction simulated(const Algorithm& algorithm, const Call& asked, Call call,
                            const Machine& machine, const Machine& by) {
  const Cost cost(algorithm);
  const int usual = call.parameter;
  const std::vector<int> numbers =
      call.n() == asked.n() ? numbers_of_segments(algorithm, call, machine) : std::vector{usual};
  Correction result{.tried = {}};
  double least = std::numeric_limits<double>::infinity();
  for (const int each : numbers) {
    call.parameter = each;
    const double seconds = simulate(algorithm, call, machine).seconds;
    result.tried.push_back({each, ratio(seconds, cost.seconds(call, by))});
    if (seconds >= least) continue;
    least = seconds;
    result.best = each == usual ? 0 : each;
  }
  return result;
}

// What the formula leaves when the work is taken off it is latency, of which there is less where
// messages stay on a node.
static Correction estimated(const Algorithm& algorithm, const Call&, const Call& call,
                            const Machine& machine, const Machine& by) {
  std::vector<RankSchedule> schedules;
  for (const Rank rank : sample(call)) schedules.push_back({rank, build(algorithm, call, rank)});
  const Lockstep apart = lockstep(schedules, call.unit_bytes, by, nullptr);
  const Lockstep here = lockstep(schedules, call.unit_bytes, machine, call.placement.get());
  if (apart.latency == 0) return {};
  const double formula = Cost(algorithm).seconds(call, by);
  const double latency = std::max(formula - apart.work, 0.0) * here.latency / apart.latency;
  return {.tried = {{call.parameter, ratio(latency + here.work, formula)}}};
}

// By one means for all algorithms; nothing if one has too many steps: they could not be compared.
template <class Means>
static std::optional<Corrections> found_by(Means means, std::size_t ranks, std::size_t most_steps,
                                           const Call& call, const Machine& machine,
                                           const Machine& by) {
  std::vector<std::optional<Call>> calls;
  for (const Algorithm* each : algorithms_of(call.collective)) {
    const bool possible = accepts(*each, call);
    calls.push_back(possible ? short_enough(*each, Cost(*each), call, by, ranks, most_steps)
                             : std::nullopt);
    if (possible && !calls.back()) return std::nullopt;
  }
  Corrections result(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i]) {
      result[i] = means(*algorithms_of(call.collective)[i], call, *calls[i], machine, by);
    }
  }
  return result;
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
  Corrections& result = found->second;
  if (!fresh) return result;
  const auto p = static_cast<std::size_t>(call.p);
  const std::size_t most = call.placement ? most_simulated_steps : most_simulated_flat;
  auto all = found_by(simulated, p, most, call, machine, by);
  if (!all && call.placement) {
    all = found_by(estimated, sample(call).size(), most_estimated_steps, call, machine, by);
  }
  if (all) result = *all;
  return result;
}

}  // namespace tutti
