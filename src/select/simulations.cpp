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
#include "select/recent_table.hpp"
#include "select/trial.hpp"

namespace tutti {

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

const Correction::Tried& Correction::nearest(int parameter) const {
  const auto far = [&](const Tried& each) { return std::abs(each.parameter - parameter); };
  return *std::ranges::min_element(tried, {}, far);
}

bool suits(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  if (algorithm.synchronous && machine.sharing() != Sharing::fair) return false;
  if (algorithm.parameter.open != Open::segments || call.placement == nullptr) return true;
  Call piped = call;
  piped.parameter = std::min(2, most(Open::segments, call));
  return usual_schedule(algorithm, piped, call.root).strands == 1;
}

static double ratio(double seconds, double formula) {
  return seconds > 0 && formula > 0 ? seconds / formula : 1;
}

// Of each algorithm that accepts the call and may turn out to be the best. Nothing at all if one
// takes too long: they could not be compared.
using Trials = std::vector<std::optional<Trial>>;
static Trials trials_of(const Call& call, const Machine& by, std::size_t ranks,
                        std::size_t most_work) {
  constexpr double hopeless = 8;  // times as long as the best, by formulas
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto& all = algorithms_of(call.collective);
  std::vector<double> seconds(all.size(), never);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!accepts(*all[i], call) || !suits(*all[i], call, by)) continue;
    seconds[i] = Cost(*all[i]).seconds(call, by);
  }
  const double least = *std::ranges::min_element(seconds);
  Trials found(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (seconds[i] == never || seconds[i] > hopeless * least) continue;
    found[i] = trial(*all[i], call, by, ranks, most_work);
    if (!found[i]) return {};
  }
  return found;
}

// The cheapest by formulas first. On a flat network those are within a factor of four: what takes
// longer than that beside the best so far is left; after much work, what takes longer at all.
static Corrections corrected(Means means, const Trials& trials, const Call& call,
                             const Machine& machine, const Machine& by, std::size_t most_work) {
  constexpr double beaten = 4;
  const auto& all = algorithms_of(call.collective);
  std::vector<std::pair<double, std::size_t>> order;  // seconds by formula
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i]) order.emplace_back(Cost(*all[i]).seconds(trials[i]->call, by), i);
  }
  std::ranges::sort(order);
  Corrections result(trials.size());
  double least = std::numeric_limits<double>::infinity();
  std::size_t work = 0;
  for (const auto& [formula, i] : order) {
    if (!call.placement && formula > (work < 2 * most_work ? beaten : 1) * least) break;
    const Estimate found = estimate(means, *all[i], *trials[i], machine, by, most_work);
    least = std::min(least, found.seconds);
    work += found.work;
    result[i] = {
        .tried = {{trials[i]->call.parameter, ratio(found.seconds, formula), found.bytes}}};
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
         std::size_t most_work, Correction& result)
      : algorithm_(algorithm),
        cost_(algorithm),
        call_(call),
        machine_(machine),
        by_(by),
        most_work_(most_work),
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
  // Tries one more. False if none is left. The best of all algorithms takes `least` seconds.
  bool step(double least, std::size_t& work_left) {
    while (Way* way = next()) {
      const int parameter = way->left.back();
      way->left.pop_back();
      const auto is_it = [&](const auto& tried) { return tried.parameter == parameter; };
      if (std::ranges::any_of(result_.tried, is_it)) continue;
      const double before = least_;
      const double seconds = time(parameter, work_left);
      const bool is_far = call_.placement == nullptr && before > far * least;
      way->misses = seconds < before         ? 0
                    : seconds > far * before ? patience
                                             : way->misses + (is_far ? patience / 2 : 1);
      return true;
    }
    return false;
  }

 private:
  static constexpr int patience = 4;
  static constexpr double far = 1.3;
  static constexpr int few = 32;

  struct Way {
    std::vector<int> left{};  // the next last
    int misses = 0;
    bool ended() const { return left.empty() || misses >= patience; }
  };

  // Up and down by turns.
  Way* next() {
    std::swap(turns_[0], turns_[1]);
    for (Way* way : turns_) {
      if (!way->ended()) return way;
    }
    return greatest_.ended() ? nullptr : &greatest_;
  }

  // Infinite if it takes too long.
  double time(int parameter, std::size_t& work_left) {
    call_.parameter = parameter;
    const auto all_ranks = static_cast<std::size_t>(call_.p);
    const auto tried = trial(algorithm_, call_, by_, all_ranks, most_work_);
    if (!tried || tried->work > work_left) return std::numeric_limits<double>::infinity();
    const Estimate found =
        estimate(Means::simulation, algorithm_, *tried, machine_, by_, most_work_);
    work_left -= std::min(found.work, work_left);
    result_.tried.push_back(
        {parameter, ratio(found.seconds, cost_.seconds(call_, by_)), found.bytes});
    if (found.seconds < least_) {
      least_ = found.seconds;
      result_.best = parameter;
    }
    return found.seconds;
  }

  const Algorithm& algorithm_;
  Cost cost_;
  Call call_;
  const Machine& machine_;
  const Machine& by_;
  std::size_t most_work_;
  Correction& result_;
  double least_;
  Way greater_, smaller_, greatest_;
  std::array<Way*, 2> turns_{&smaller_, &greater_};
};

}  // namespace

// Of the algorithms that may turn out to be the best, one parameter after the other of whichever is
// the best so far: the work may not suffice for all.
static void try_parameters(Corrections& corrections, const Trials& trials, const Call& call,
                           const Machine& machine, const Machine& by, std::size_t most_work) {
  constexpr double near = 3;  // times the best
  const auto& all = algorithms_of(call.collective);
  double least = std::numeric_limits<double>::infinity();
  std::size_t work_left = most_work;
  std::list<Search> searches;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i]) continue;
    searches.emplace_back(*all[i], trials[i]->call, machine, by, most_work, corrections[i]);
  }
  while (!searches.empty()) {
    const auto next = std::ranges::min_element(searches, {}, &Search::least);
    least = std::min(least, next->least());
    if (next->least() > near * least) break;
    if (!next->step(least, work_left)) searches.erase(next);
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
  const auto found = [&](Means means, const Call& one, std::size_t most) {
    return trials_of(one, by, ranks_looked_at(means, one), most);
  };
  if (const Trials all = found(Means::simulation, uneven, most_work); !all.empty()) {
    result = corrected(Means::simulation, all, uneven, machine, by, most_work);
    try_parameters(result, all, uneven, machine, by, most_work);
  } else if (call.placement) {
    const Trials near = found(Means::two_nodes, call, greatest_work);
    if (!near.empty()) result = corrected(Means::two_nodes, near, call, machine, by, greatest_work);
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
