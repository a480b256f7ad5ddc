#include "select/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "algorithms/registry.hpp"
#include "model/refuse.hpp"
#include "model/simulate.hpp"
#include "select/simulations.hpp"

namespace tutti {

static constexpr Units agreed_number = 8;  // bytes

// Bytes from which on algorithms gain by cutting operands. What may not be cut is then native, and
// as fast as natively.
static constexpr double long_operands = 10240;

Policy parse_policy(std::string_view text) {
  if (text.empty() || text == "model") return Policy::model;
  if (text == "mpich2005") return Policy::mpich2005;
  refuse("'{}' is no policy; known are: model, mpich2005", text);
}

bool parse_user_ops(std::string_view text) {
  if (text.empty() || text == "any") return !text.empty();
  refuse(
      "'{}' is not accepted; accepted are: any (operators made by the user take operands "
      "of any length), or nothing",
      text);
}

Selector::Selector(Forced forced, Policy policy, Machine machine,
                   std::shared_ptr<const Profile> profile, Library library)
    : forced_(forced),
      policy_(policy),
      machine_(machine),
      profile_(std::move(profile)),
      library_(library) {}

Machine Selector::machine(const Call& call) const {
  const bool one_node = call.placement && call.placement->nodes() == 1;
  return one_node ? inside_a_node(machine_) : machine_;
}

// To a power of two. Where messages begin to wait for their receivers is usually one: what is
// rounded down stays on the same side of it.
static Units rounded_down(Units units) {
  return units <= 0 ? 0 : static_cast<Units>(std::bit_floor(static_cast<std::uint64_t>(units)));
}

// What all ranks know of the sizes.
static Agreed sizes(const Call& call) {
  return call.agreed ? *call.agreed : Agreed{call.n(), call.layout.largest()};
}

// About n units in blocks of which the largest has that size: small ones are as common as a power
// makes them. Sizes are mixed.
static Layout uneven_blocks(int p, Units n, Units largest) {
  const double most = static_cast<double>(largest);
  const double power = most * p / static_cast<double>(std::max<Units>(n, 1)) - 1;
  std::vector<int> from_smallest(static_cast<std::size_t>(p));
  std::iota(from_smallest.begin(), from_smallest.end(), 0);
  const auto mixed = [](int i) { return static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u; };
  std::ranges::sort(from_smallest, {}, mixed);
  std::vector<Units> sizes(from_smallest.size());
  for (int i = 0; i < p; ++i) {
    const double size = most * std::pow((i + 1.0) / p, power);
    sizes[static_cast<std::size_t>(from_smallest[static_cast<std::size_t>(i)])] =
        static_cast<Units>(size);
  }
  return Layout(sizes);
}

// Of a class of calls of about the same size, the one with the smallest or the largest blocks,
// which are equal, or uneven if the largest is larger than the mean; with the first rank for its
// root, and the parameter that each algorithm would have. A call that recurs is a class by itself.
// Empty blocks are with those of one unit: they would hide how many of them a schedule deals with.
enum class Bound : std::uint8_t { lowest, highest };
static Call of_its_class(const Call& call, Bound bound) {
  Call one = call;
  one.sends.reset();
  one.told.clear();
  one.parameter = 0;
  if (call.recurs) return one;
  const auto [busiest, largest_of_all] = sizes(call);
  const auto bounded = [&](Units units) {
    const Units lowest = rounded_down(units);
    return bound == Bound::lowest ? lowest : std::max<Units>(2 * lowest - 1, lowest);
  };
  const Units blocks = info(call.collective).owns_blocks ? call.p : 1;
  const Units least = call.collective == Collective::barrier ? 0 : 1;
  const Units each = std::max(bounded((busiest + blocks - 1) / blocks), least);
  const Units largest = std::max(bounded(largest_of_all), each);
  const bool is_exchange = info(call.collective).regular == Collective::alltoall;
  one.layout = Layout(blocks * each, call.p);
  if (info(call.collective).irregular() && !is_exchange && largest > each) {
    one.layout = uneven_blocks(call.p, blocks * each, largest);
  }
  if (one.agreed) one.agreed = Agreed{one.n(), largest};
  one.root = 0;
  return one;
}

// Whether no block is much larger than the others.
static bool has_even_blocks(const Call& call) {
  const auto [busiest, largest] = sizes(call);
  return largest <= 2 * ((busiest + call.p - 1) / call.p);
}

// Formulas know nothing of nodes, and little of messages that overlap: what a simulation says at
// about this size, if all algorithms can be simulated. Where nothing overlaps on a flat network,
// formulas know all.
static bool is_corrected(const Call& call, const Machine& machine) {
  const CollectiveInfo& about = info(call.collective);
  if (call.p == 1) return false;
  if (about.regular != Collective::alltoall && !about.sizes_known()) return false;
  return call.placement || machine.overlap > 0;
}

// Of a call that stands for others.
std::shared_ptr<const Correction> Selector::correction(const Algorithm& algorithm,
                                                       const Call& one) const {
  const std::size_t work = std::min(most_work_, usual_work(one.p));
  const auto known = corrections(one, machine_, machine(one), work);
  const auto& all = algorithms_of(one.collective);
  const auto place = static_cast<std::size_t>(std::ranges::find(all, &algorithm) - all.begin());
  if (place >= known->size()) return std::make_shared<const Correction>();
  return {known, &(*known)[place]};
}

double Selector::predicted(const Algorithm& algorithm, const Call& call) const {
  Call settled = call;
  settled.parameter = parameter(algorithm, call);
  const double formula = Cost(algorithm).seconds(settled, machine(call));
  if (!is_corrected(call, machine_)) return formula;
  const Call low = of_its_class(call, Bound::lowest);
  const double at_low = correction(algorithm, low)->factor(settled.parameter);
  if (low.bytes() >= call.bytes()) return formula * at_low;
  const Call high = of_its_class(call, Bound::highest);
  const double at_high = correction(algorithm, high)->factor(settled.parameter);
  const double along = (call.bytes() - low.bytes()) / (high.bytes() - low.bytes());
  return formula * std::lerp(at_low, at_high, std::min(along, 1.0));
}

// Of all ranks; 0 where nothing was simulated.
double Selector::bytes_sent(const Algorithm& algorithm, const Call& call) const {
  if (!is_corrected(call, machine_)) return 0;
  const auto found = correction(algorithm, of_its_class(call, Bound::lowest));
  return found->nearest(parameter(algorithm, call)).bytes;
}

int Selector::parameter(const Algorithm& algorithm, const Call& call) const {
  if (algorithm.parameter.open == Open::nothing) return 0;
  Call with = call;
  if (with.parameter == 0 && is_corrected(call, machine_)) {
    with.parameter = correction(algorithm, of_its_class(call, Bound::lowest))->best;
  }
  return Cost(algorithm).parameter(with, machine(call));
}

Call agreement(Collective collective, int p, Rank root) {
  if (info(collective).rooted) {
    return {.collective = Collective::bcast,
            .p = p,
            .root = root,
            .layout = Layout(p * agreed_number, p)};
  }
  return {.collective = Collective::allreduce,
          .p = p,
          .layout = Layout(2, p),
          .unit_bytes = agreed_number};
}

double Selector::least(const Call& call) const {
  const Choice choice = cheapest(call);
  return choice.algorithm != nullptr ? predicted(*choice.algorithm, call) : 0;
}

bool Selector::wants_agreement(Collective collective, int p,
                               std::shared_ptr<const Placement> placement) const {
  constexpr double worth = 3;
  const Algorithm* forced = forced_[static_cast<std::size_t>(collective)].algorithm;
  if (forced != nullptr) return forced->requires_.agreement;
  if (info(collective).sizes_known() || policy_ == Policy::mpich2005) return false;
  Call call{.collective = collective, .p = p, .layout = Layout(0, p)};
  call.placement = std::move(placement);
  if (!known_best(library_, call, machine_).empty()) return false;
  call.placement = nullptr;
  const double without = least(call);
  call.agreed = Agreed{};
  return without - least(call) >= worth * least(agreement(collective, p, 0));
}

// What all ranks know of a call: where none knows all sizes, not how much data there is.
static Call in_common(const Call& call) {
  Call common = call;
  if (info(call.collective).sizes_known() || call.agreed) return common;
  common.layout = Layout(0, call.p);
  common.sends.reset();
  return common;
}

Choice Selector::choose(const Call& mine) const {
  const Call call = in_common(mine);
  const Variant& forced = forced_[static_cast<std::size_t>(call.collective)];
  const auto chosen = [&](const Algorithm& algorithm, std::string_view why) {
    return Choice{{&algorithm, parameter(algorithm, call)}, std::string(why), machine_.fragment};
  };
  if (forced.algorithm != nullptr && accepts(*forced.algorithm, call)) {
    Choice choice = chosen(*forced.algorithm, "forced by the user");
    if (forced.parameter > 0) {
      Call with = call;
      with.parameter = forced.parameter;
      choice.parameter = with_parameter(*forced.algorithm, with).parameter;
    }
    return choice;
  }
  if (policy_ == Policy::mpich2005) {
    const Rule rule = thakur2005(call);
    const Algorithm* named = find_algorithm(call.collective, rule.algorithm);
    if (named != nullptr && accepts(*named, call)) return chosen(*named, rule.text);
  }
  if (call.whole_operands && call.bytes() >= long_operands) {
    return {{}, "user's operator on long operands, which stay whole"};
  }
  if (const auto choice = measured(call)) return *choice;
  if (const auto choice = known(call)) return *choice;
  Choice best = cheapest(call);
  if (best.algorithm != nullptr) best.parameter = parameter(*best.algorithm, call);
  return best;
}

// The parameter for a call like one that was measured, but of another size or p: larger than what
// won there by as much as the model would have it.
int Selector::scaled(const Variant& named, const Call& measured, const Call& call) const {
  const Open open = named.algorithm->parameter.open;
  if (open == Open::nothing) return 0;
  if (named.parameter == 0) return parameter(*named.algorithm, call);
  if (measured.p == call.p && measured.bytes() == call.bytes()) return named.parameter;
  const Cost cost(*named.algorithm);
  const double factor = static_cast<double>(cost.parameter(call, machine(call))) /
                        cost.parameter(measured, machine(call));
  const double scaled = std::round(named.parameter * factor);
  return static_cast<int>(std::clamp<double>(scaled, tutti::least(open), most(open, call)));
}

// Equal blocks are measured. That says nothing where ranks do not know all sizes, and little where
// one block is much larger than the others.
static bool is_like_those_measured(const Call& call) {
  return info(call.collective).sizes_known() && has_even_blocks(call);
}

// What was the fastest of a call like this one that was measured, if it can serve this one.
std::optional<Choice> Selector::measured(const Call& call) const {
  const ProfileRun* run = profile_ ? nearest_run(*profile_, call) : nullptr;
  if (run == nullptr || !is_like_those_measured(call)) return std::nullopt;
  const std::optional<Finding> found = finding(*run, call);
  if (!found) return std::nullopt;
  const Variant named = parse_variant(call.collective, found->winner);
  const bool native = found->winner == "native";
  if (!native && (named.algorithm == nullptr || !accepts(*named.algorithm, call))) {
    return std::nullopt;
  }
  const double bytes = found->nearest->bytes;
  const Call there = call_of_bytes(call.collective, run->p, static_cast<std::int64_t>(bytes));
  return Choice{{named.algorithm, native ? 0 : scaled(named, there, call)},
                found->beyond == nullptr
                    ? fmt::format("fastest when measured with p = {}, {:.0f} bytes", run->p, bytes)
                    : fmt::format("fastest by interpolation, measured with p = {}, {:.0f} and "
                                  "{:.0f} bytes",
                                  run->p, bytes, found->beyond->bytes),
                run->fragment};
}

// What was found elsewhere, with this library: for blocks of about the same size.
std::optional<Choice> Selector::known(const Call& call) const {
  const std::string_view name = known_best(library_, call, machine_);
  if (name.empty()) return std::nullopt;
  const auto [algorithm, parameter] = parse_variant(call.collective, name);
  if (algorithm != nullptr && is_like_those_measured(call) && accepts(*algorithm, call)) {
    const int most = tutti::most(algorithm->parameter.open, call);
    return Choice{{algorithm, parameter > 0 ? std::min(parameter, most) : 0},
                  "known to be faster here",
                  machine_.fragment};
  }
  if (name != "native" && !call.placement) return std::nullopt;
  return Choice{{}, "nothing is known to be faster here"};
}

// Of those that are as good as the cheapest, the first in the registry. Unless the network is known
// to be as in the model that is within 1%, of those that send the fewest bytes: lost packets, and
// links that others use, are the worse the more there is.
Choice Selector::cheapest(const Call& call) const {
  const double as_good = machine_.sharing() == Sharing::fair ? 1.0001 : 1.01;
  struct Possible {
    const Algorithm* algorithm;
    double cost;  // seconds, then bytes
  };
  std::vector<Possible> possible;
  for (const Algorithm* each : algorithms_of(call.collective)) {
    if (!accepts(*each, call) || !suits(*each, call, machine_)) continue;
    possible.push_back({each, predicted(*each, call)});
  }
  if (possible.empty()) return {{}, "no algorithm accepts this call"};
  const auto keep_cheapest = [&] {
    const double least = std::ranges::min_element(possible, {}, &Possible::cost)->cost;
    std::erase_if(possible, [&](const Possible& each) { return each.cost > as_good * least; });
  };
  keep_cheapest();
  if (machine_.sharing() != Sharing::fair) {
    for (Possible& each : possible) each.cost = bytes_sent(*each.algorithm, call);
    keep_cheapest();
  }
  return {{possible.front().algorithm}, "cheapest under the machine model", machine_.fragment};
}

// ":16", or nothing.
static int parse_parameter(const Algorithm& algorithm, std::string_view text) {
  if (text.empty()) return 0;
  const Open open = algorithm.parameter.open;
  if (open == Open::nothing) refuse("{} has no parameter", algorithm.name);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least(open)) {
    refuse("'{}' is no number of {} for {}; accepted are {} or more", text.substr(1),
           to_string(open), algorithm.name, least(open));
  }
  return value;
}

Forced parse_forced(std::string_view text) {
  Forced forced{};
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const auto collective = collective_named(name);
    if (!collective) refuse("'{}' is no collective; known are: {}", name, known_collectives());
    const std::string_view right =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    const std::string_view wanted = right.substr(0, right.find(':'));
    const Algorithm* algorithm = find_algorithm(*collective, wanted);
    if (algorithm == nullptr) {
      refuse("'{}' is no algorithm for {}; known are: {}", wanted, name,
             known_algorithms(*collective));
    }
    forced[static_cast<std::size_t>(*collective)] = {
        algorithm, parse_parameter(*algorithm, right.substr(wanted.size()))};
  }
  return forced;
}

}  // namespace tutti
