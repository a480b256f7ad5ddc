#include "select/simulations.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <tuple>

#include "algorithms/ranks.hpp"
#include "algorithms/registry.hpp"
#include "model/cost.hpp"
#include "model/lockstep.hpp"
#include "model/simulate.hpp"
#include "select/recent_table.hpp"

namespace tutti {

static constexpr double hopeless = 8;  // times as long as the best, by formulas: not simulated

// What a simulation depends on.
using Key = std::tuple<Collective, int, Rank, std::vector<Units>, Units, Units, bool, bool, bool,
                       bool, bool, std::uint64_t, Machine, std::size_t>;

// A simulator loads a program once for every rank: there the variable of an inline function that is
// seen from outside is one in the whole process, and ranks simulate each call once.
#ifdef TUTTI_RANKS_SHARE_PROCESS
#define TUTTI_ONE_IN_PROCESS [[gnu::visibility("default")]]
#else
#define TUTTI_ONE_IN_PROCESS
#endif
struct TUTTI_ONE_IN_PROCESS CorrectionTable : RecentTable<Key, Corrections> {
  CorrectionTable() : RecentTable(512) {}
};
TUTTI_ONE_IN_PROCESS inline CorrectionTable& table() {
  static auto& kept = *new CorrectionTable;  // for calls at the end of a program too
  return kept;
}

static Schedule schedule_of(const Algorithm& algorithm, const Call& call, Rank rank) {
  return build(algorithm, informed(algorithm, call, usual(algorithm), rank), rank);
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
    // A round has a step and a piece at least.
    const bool may_be =
        2 * most_rounds * static_cast<double>(ranks) <= static_cast<double>(most_work);
    if (may_be && work(schedule_of(algorithm, shorter, call.root)) * ranks <= most_work) {
      return shorter;
    }
    if (algorithm.parameter.open != Open::segments || shorter.n() / 2 < call.p) return std::nullopt;
    shorter.layout = Layout(shorter.n() / 2 / call.p * call.p, call.p);
    shorter.parameter = 0;
  }
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

const Correction::Tried& Correction::nearest(int parameter) const {
  const auto far = [&](const Tried& each) { return std::abs(each.parameter - parameter); };
  return *std::ranges::min_element(tried, {}, far);
}

bool suits(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  if (algorithm.synchronous && machine.sharing() != Sharing::fair) return false;
  if (algorithm.parameter.open != Open::segments || call.placement == nullptr) return true;
  Call piped = call;
  piped.parameter = std::min(2, most(Open::segments, call));
  return schedule_of(algorithm, piped, call.root).strands == 1;
}

static double ratio(double seconds, double formula) {
  return seconds > 0 && formula > 0 ? seconds / formula : 1;
}

static Correction simulated(const Algorithm& algorithm, const Call& call, const Machine& machine,
                            const Machine& by) {
  const Simulation found = simulate(algorithm, call, machine);
  const double factor = ratio(found.seconds, Cost(algorithm).seconds(call, by));
  return {.tried = {{call.parameter, factor, found.bytes}}};
}

// What the formula leaves when the work is taken off it is latency, of which there is less where
// messages stay on a node.
static Correction estimated(const Algorithm& algorithm, const Call& call, const Machine& machine,
                            const Machine& by) {
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
    seconds.push_back(accepts(*each, call) && suits(*each, call, by) ? Cost(*each).seconds(call, by)
                                                                     : never);
  }
  const double least = *std::ranges::min_element(seconds);
  std::vector<bool> result;
  result.reserve(seconds.size());
  for (const double each : seconds) result.push_back(each < never && each <= hopeless * least);
  return result;
}

// Of each algorithm, the call it is simulated with: the one that was asked about, or a shorter one.
// Nothing at all if one takes too long: they could not be compared.
using Calls = std::vector<std::optional<Call>>;
static Calls calls_for(const Call& call, const Machine& by, std::size_t ranks,
                       std::size_t most_work) {
  const auto& all = algorithms_of(call.collective);
  const std::vector<bool> wanted = likely(call, by);
  Calls calls(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!wanted[i]) continue;
    calls[i] = short_enough(*all[i], Cost(*all[i]), call, by, ranks, most_work);
    if (!calls[i]) return {};
  }
  return calls;
}

using Means = Correction (*)(const Algorithm&, const Call&, const Machine&, const Machine&);
static Corrections found_by(Means means, const Calls& calls, const Call& call,
                            const Machine& machine, const Machine& by) {
  const auto& all = algorithms_of(call.collective);
  Corrections result(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i]) result[i] = means(*all[i], *calls[i], machine, by);
  }
  return result;
}

// Of segments powers of two, so that those of a somewhat larger call are on the same side of where
// messages begin to wait for their receivers; none whose side is not known.
static std::vector<int> parameters_to_try(const Algorithm& algorithm, int most, const Call& call,
                                          const Machine& machine) {
  constexpr int most_segments = 256;
  std::vector<int> numbers;
  if (algorithm.parameter.open == Open::radix) {
    for (const int each : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32}) {
      if (each < most) numbers.push_back(each);
    }
    numbers.push_back(most);
  }
  if (algorithm.parameter.open != Open::segments) return numbers;
  for (int each = 1; each <= std::min(most_segments, most); each *= 2) {
    const double bytes = call.bytes() / each;
    const bool runs_ahead = bytes < machine.overlap &&
                            (machine.sharing() != Sharing::in_order || bytes <= machine.in_order);
    const bool waits = bytes >= machine.eager || algorithm.synchronous;
    if (runs_ahead || waits) numbers.push_back(each);
  }
  return numbers;
}

namespace {

// For an algorithm's best parameter. Formulas know nothing of short segments that share ports, nor
// of nodes. From the parameter that they say is best greater and smaller ones are tried, until that
// has brought nothing four times; of radices also the one of a node's ranks, and the greatest if
// ranks are few: with these a rank's messages all go at once.
class Search {
 public:
  Search(const Algorithm& algorithm, const Call& call, const Machine& machine, const Machine& by,
         Correction& result)
      : algorithm_(algorithm),
        cost_(algorithm),
        call_(call),
        machine_(machine),
        by_(by),
        result_(result),
        least_(result.tried.front().factor * cost_.seconds(call, by)) {
    const std::vector<int> all = parameters_to_try(algorithm, cost_.most(call, by), call, machine);
    std::copy_if(all.rbegin(), all.rend(), std::back_inserter(greater_.left),
                 [&](int each) { return each > call.parameter; });
    std::ranges::copy_if(all, std::back_inserter(smaller_.left),
                         [&](int each) { return each < call.parameter; });
    if (algorithm.parameter.open != Open::radix) return;
    if (all.back() <= few) greatest_.left.push_back(all.back());
    if (call.placement == nullptr) return;
    greatest_.left.push_back(std::min(call.placement->most_ranks(), all.back()));
  }
  Search(const Search&) = delete;  // its turns point into it

  double least() const { return least_; }  // seconds
  // Tries one more. False if none is left.
  bool step(std::size_t& work_left) {
    while (Way* way = next()) {
      const int parameter = way->left.back();
      way->left.pop_back();
      const auto is_it = [&](const auto& tried) { return tried.parameter == parameter; };
      if (std::ranges::any_of(result_.tried, is_it)) continue;
      way->misses = is_better(parameter, work_left) ? 0 : way->misses + 1;
      return true;
    }
    return false;
  }

 private:
  static constexpr int patience = 4;
  static constexpr int few = 32;

  struct Way {
    std::vector<int> left{};  // the next last
    int misses = 0;
    bool ended() const { return left.empty() || misses == patience; }
  };

  // Up and down by turns.
  Way* next() {
    std::swap(turns_[0], turns_[1]);
    for (Way* way : turns_) {
      if (!way->ended()) return way;
    }
    return greatest_.ended() ? nullptr : &greatest_;
  }

  bool is_better(int parameter, std::size_t& work_left) {
    call_.parameter = parameter;
    const auto all_ranks = static_cast<std::size_t>(call_.p);
    const std::size_t needed = work(schedule_of(algorithm_, call_, call_.root)) * all_ranks;
    if (needed > work_left) return false;
    work_left -= needed;
    const Simulation found = simulate(algorithm_, call_, machine_);
    const double factor = ratio(found.seconds, cost_.seconds(call_, by_));
    result_.tried.push_back({parameter, factor, found.bytes});
    if (found.seconds >= least_) return false;
    least_ = found.seconds;
    result_.best = parameter;
    return true;
  }

  const Algorithm& algorithm_;
  Cost cost_;
  Call call_;
  const Machine& machine_;
  const Machine& by_;
  Correction& result_;
  double least_;
  Way greater_, smaller_, greatest_;
  std::array<Way*, 2> turns_{&smaller_, &greater_};
};

}  // namespace

// Of the algorithms that may turn out to be the best, one parameter after the other of whichever is
// the best so far: the work may not suffice for all.
static void try_parameters(Corrections& corrections, const Calls& calls, const Call& asked,
                           const Machine& machine, const Machine& by, std::size_t work_left) {
  constexpr double near = 3;  // times the best
  const auto& all = algorithms_of(asked.collective);
  double least = std::numeric_limits<double>::infinity();
  std::list<Search> searches;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i] || calls[i]->n() != asked.n()) continue;
    searches.emplace_back(*all[i], *calls[i], machine, by, corrections[i]);
  }
  while (!searches.empty()) {
    const auto next = std::ranges::min_element(searches, {}, &Search::least);
    least = std::min(least, next->least());
    if (next->least() > near * least) break;
    if (!next->step(work_left)) searches.erase(next);
  }
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

// Of all blocks, where the call stands for itself only; else of the whole message.
static std::vector<Units> sizes(const Call& call) {
  if (!call.recurs) return {call.n()};
  std::vector<Units> result;
  result.reserve(static_cast<std::size_t>(call.p));
  for (int i = 0; i < call.p; ++i) result.push_back(call.layout.size(i));
  return result;
}

static Corrections find_corrections(const Call& call, const Machine& machine, const Machine& by,
                                    std::size_t most_work) {
  Corrections result;
  const Call uneven = with_uneven_blocks(call);
  if (const Calls calls = calls_for(uneven, by, static_cast<std::size_t>(call.p), most_work);
      !calls.empty()) {
    result = found_by(simulated, calls, uneven, machine, by);
    try_parameters(result, calls, uneven, machine, by, most_work);
  } else if (call.placement) {
    const Calls of_sample = calls_for(call, by, sample(call).size(), greatest_work);
    if (!of_sample.empty()) result = found_by(estimated, of_sample, call, machine, by);
  }
  return result;
}

std::shared_ptr<const Corrections> corrections(const Call& call, const Machine& machine,
                                               const Machine& by, std::size_t most_work) {
  const Key key{call.collective,
                call.p,
                call.root,
                sizes(call),
                call.agreed ? call.agreed->largest : call.layout.largest(),
                call.unit_bytes,
                call.agreed.has_value(),
                call.exact,
                call.whole_operands,
                call.in_place,
                call.commutative,
                call.placement ? call.placement->fingerprint() : 0,
                machine,
                most_work};
  return table().find(key, [&] { return find_corrections(call, machine, by, most_work); });
}

}  // namespace tutti
