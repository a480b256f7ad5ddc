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
#include "verify/ranks.hpp"

namespace tutti {

namespace {

constexpr double hopeless = 8;  // times as long as the best, by formulas: not simulated

}  // namespace

// What a simulation depends on.
using Key = std::tuple<Collective, int, Units, Units, Units, bool, bool, bool, bool, std::uint64_t,
                       Machine, std::size_t>;

// Seen from outside: an inline function's variable is then one in the whole process, also where a
// simulator loads a program once for every rank, and ranks simulate each call once.
struct [[gnu::visibility("default")]] CorrectionTable {
  std::mutex mutex;
  std::map<Key, Corrections> entries;
};
[[gnu::visibility("default")]] inline CorrectionTable& table() {
  static CorrectionTable shared;
  return shared;
}

static Schedule schedule_of(const Algorithm& algorithm, const Call& call, Rank rank) {
  return build(algorithm, informed(algorithm, call, usual(algorithm), rank), rank);
}

static std::size_t work(const Schedule& schedule) {
  return schedule.steps.size() + schedule.slices.size();
}

// The call as the algorithm serves it, or a shorter one with fewer segments, which are as long: the
// first whose schedules, of so many ranks, are short enough. Nothing if there is none.
static std::optional<Call> short_enough(const Algorithm& algorithm, const Cost& cost,
                                        const Call& call, const Machine& by, std::size_t ranks,
                                        std::size_t most_work) {
  const Formula rounds(algorithm.rounds);
  for (Call shorter = call;;) {
    shorter.parameter = cost.parameter(shorter, by);
    const double most_rounds = rounds(call.p, shorter.bytes(), by, std::max(shorter.parameter, 1),
                                      shorter.largest_bytes());
    const bool may_be = most_rounds * static_cast<double>(ranks) <= static_cast<double>(most_work);
    if (may_be && work(schedule_of(algorithm, shorter, call.root)) * ranks <= most_work) {
      return shorter;
    }
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
                            const Machine& machine, const Machine& by, std::size_t most_work) {
  const Cost cost(algorithm);
  const int usual = call.parameter;
  const std::vector<int> numbers =
      call.n() == asked.n() ? numbers_of_segments(algorithm, call, machine) : std::vector{usual};
  Correction result{.tried = {}};
  double least = std::numeric_limits<double>::infinity();
  std::size_t spent = 0;
  for (const int each : numbers) {
    call.parameter = each;
    spent += work(schedule_of(algorithm, call, call.root)) * static_cast<std::size_t>(call.p);
    if (each != usual && spent > most_work) break;
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
                            const Machine& machine, const Machine& by, std::size_t) {
  std::vector<RankSchedule> schedules;
  for (const Rank rank : sample(call)) {
    schedules.push_back({rank, schedule_of(algorithm, call, rank)});
  }
  const Lockstep apart = lockstep(schedules, call.unit_bytes, by, nullptr);
  const Lockstep here = lockstep(schedules, call.unit_bytes, machine, call.placement.get());
  if (apart.latency == 0) return {};
  const double formula = Cost(algorithm).seconds(call, by);
  const double latency = std::max(formula - apart.work, 0.0) * here.latency / apart.latency;
  return {.tried = {{call.parameter, ratio(latency + here.work, formula)}}};
}

// Those that accept the call and may turn out to be the best.
static std::vector<bool> likely(const Call& call, const Machine& by) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> seconds;
  for (const Algorithm* each : algorithms_of(call.collective)) {
    seconds.push_back(accepts(*each, call) ? Cost(*each).seconds(call, by) : never);
  }
  const double least = *std::ranges::min_element(seconds);
  std::vector<bool> result;
  for (const double each : seconds) result.push_back(each < never && each <= hopeless * least);
  return result;
}

// By one means for all algorithms; nothing if one takes too long: they could not be compared.
template <class Means>
static std::optional<Corrections> found_by(Means means, std::size_t ranks, std::size_t most_work,
                                           const Call& call, const Machine& machine,
                                           const Machine& by) {
  const auto& all = algorithms_of(call.collective);
  const std::vector<bool> wanted = likely(call, by);
  std::vector<std::optional<Call>> calls;
  for (std::size_t i = 0; i < all.size(); ++i) {
    calls.push_back(wanted[i] ? short_enough(*all[i], Cost(*all[i]), call, by, ranks, most_work)
                              : std::nullopt);
    if (wanted[i] && !calls.back()) return std::nullopt;
  }
  Corrections result(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i]) result[i] = means(*all[i], call, *calls[i], machine, by, most_work);
  }
  return result;
}

// An irregular all-to-all with blocks of two sizes, the largest among many of half the mean, if
// ranks told each other that the blocks differ. (In place, two ranks send each other as much: equal
// blocks are left.)
static Call with_uneven_blocks(Call call) {
  constexpr int most = 128;  // of more not all ranks are looked at
  const Units mean = call.n() / call.p;
  const bool is_exchange = info(call.collective).regular == Collective::alltoall;
  const bool is_uneven = call.agreed && call.agreed->largest > 2 * mean;
  if (!is_exchange || !is_uneven || call.in_place || call.p > most) return call;
  const Units small = mean / 2, large = call.agreed->largest;
  const auto every = static_cast<std::uint64_t>((large - small) / std::max<Units>(mean - small, 1));
  std::vector<Units> sizes(static_cast<std::size_t>(call.p) * static_cast<std::size_t>(call.p));
  for (std::uint64_t i = 0; i < sizes.size(); ++i) {
    const std::uint64_t mixed = (i * 0x9E3779B97F4A7C15u) >> 32;
    sizes[i] = mixed % every == 0 ? large : small;
  }
  call.exchange = std::make_shared<const Exchange>(call.p, std::move(sizes));
  return call;
}

const Corrections& corrections(const Call& call, const Machine& machine, const Machine& by,
                               std::size_t most_work) {
  const Key key{call.collective,  call.p,
                call.n(),         call.agreed ? call.agreed->largest : call.layout.largest(),
                call.unit_bytes,  call.agreed.has_value(),
                call.exact,       call.in_place,
                call.commutative, call.placement ? call.placement->fingerprint() : 0,
                machine,          most_work};
  const std::lock_guard lock(table().mutex);
  const auto [found, fresh] = table().entries.try_emplace(key);
  Corrections& result = found->second;
  if (!fresh) return result;
  const auto p = static_cast<std::size_t>(call.p);
  auto all = found_by(simulated, p, most_work, with_uneven_blocks(call), machine, by);
  if (!all && call.placement) {
    all = found_by(estimated, sample(call).size(), usual_work, call, machine, by);
  }
  if (all) result = *all;
  return result;
}

}  // namespace tutti
