#include "tools/show/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "algorithms/ranks.hpp"
#include "algorithms/registry.hpp"
#include "model/cost.hpp"
#include "tools/cli/numbers.hpp"

namespace tutti::tools {

std::string requirements(const Algorithm& algorithm) {
  const Requirements& needs = algorithm.requires_;
  std::vector<std::string> all;
  if (needs.commutative) all.emplace_back("a commutative operator");
  if (needs.divisible) all.emplace_back("an operator for any length");
  if (!needs.also.text.empty()) all.emplace_back(needs.also.text);
  if (needs.agreement) all.emplace_back("sizes all ranks know");
  return fmt::format("{}", fmt::join(all, ", "));
}

// Of all ranks together, what is simulated is taken off `left`.
static std::optional<Simulation> simulated(const Algorithm& algorithm, const Call& call,
                                           const Machine& machine, std::size_t most,
                                           std::size_t& left) {
  const auto ranks = static_cast<std::size_t>(call.p);
  const auto work =
      work_of(algorithm, settled(algorithm, call, machine), machine, ranks, std::min(most, left));
  if (!work) return std::nullopt;
  left -= *work;
  return simulate(algorithm, call, machine);
}

static std::vector<Point> curve(const Algorithm& algorithm, int chosen, const Call& call,
                                const Machine& machine, const Selector& selector) {
  const Open open = algorithm.parameter.open;
  if (open == Open::nothing) return {};
  const Cost cost(algorithm);
  const Formula rounds(algorithm.rounds);
  const Machine bytes_alone{.alpha = 0, .beta = 1, .gamma = 0};
  std::set<int> values{chosen};
  const int highest = most(open, call);
  for (int value = least(open); value < std::min(highest, call.p); value *= 2) values.insert(value);
  for (const int value : worth_trying(open, call.p)) {
    if (open != Open::segments && value <= highest) values.insert(value);
  }
  std::vector<Point> result;
  for (const int value : values) {
    Call with = call;
    with.parameter = value;
    result.push_back({value, rounds(call.p, call.bytes(), machine, value, call.largest_bytes()),
                      cost.seconds(with, bytes_alone), selector.predicted(algorithm, with)});
  }
  return result;
}

std::vector<Candidate> candidates(const Call& call, const Machine& machine,
                                  const Selector& selector, const Effort& effort) {
  std::vector<Candidate> result;
  for (const Algorithm* algorithm : algorithms_of(call.collective)) {
    Candidate one{{algorithm, selector.parameter(*algorithm, call)}};
    one.predicted = selector.predicted(*algorithm, call);
    one.curve = curve(*algorithm, one.parameter, call, machine, selector);
    if (!accepts(*algorithm, call)) {
      one.obstacle = "needs " + requirements(*algorithm);
    } else if (!suits(*algorithm, call, machine)) {
      one.obstacle = algorithm->synchronous ? "where sharing is fair" : "a rank per node";
    }
    result.push_back(std::move(one));
  }
  std::vector<Candidate*> cheapest_first;
  cheapest_first.reserve(result.size());
  for (Candidate& each : result) cheapest_first.push_back(&each);
  std::ranges::stable_sort(cheapest_first, {}, &Candidate::predicted);
  std::size_t left = effort.all;
  for (Candidate* each : cheapest_first) {
    const Algorithm& algorithm = *each->algorithm;
    // What has to be called in place is simulated so.
    if (!accepts(algorithm, informed(algorithm, call, usual(algorithm), call.root))) continue;
    Call with = call;
    with.parameter = each->parameter;
    each->simulated = simulated(algorithm, with, machine, effort.each, left);
  }
  return result;
}

std::optional<double> agree(Call& call, const Selector& selector) {
  if (!selector.wants_agreement(call.collective, call.p)) return std::nullopt;
  call.agreed = Agreed{call.n(), call.layout.largest()};
  const Call telling = agreement(call.collective, call.p, call.root);
  return selector.predicted(*selector.choose(telling).algorithm, telling);
}

std::string describe(const Call& call) {
  const CollectiveInfo& about = info(call.collective);
  std::string text = fmt::format("{}, p = {}", about.name, call.p);
  if (about.rooted) text += fmt::format(", root {}", call.root);
  if (call.collective != Collective::barrier) {
    text += fmt::format(", n = {} ({:.0f} bytes)", print_size(call.bytes()), call.bytes());
  }
  if (!call.predefined) text += ", user's operator";
  if (call.whole_operands) text += " on whole operands";
  if (!call.commutative) text += ", operator does not commute";
  return text;
}

std::string describe(const Machine& machine) {
  std::string far = fmt::format("alpha = {} us, beta = {:.4g} ns/byte, gamma = {:.4g} ns/byte",
                                print_us(machine.alpha), machine.beta * 1e9, machine.gamma * 1e9);
  if (machine.ranks_per_node == 1) return far;
  if (machine.inside == Inside::memory) {
    const SharedMemory& memory = machine.memory;
    return fmt::format("{}; {} ranks per node share memory: {} us a message, {:.4g} ns/byte a copy",
                       far, machine.ranks_per_node, print_us(memory.latency + 2 * memory.entry),
                       memory.copy * 1e9);
  }
  return fmt::format("{}; {} ranks per node, where alpha = {} us, beta = {:.4g} ns/byte", far,
                     machine.ranks_per_node, print_us(machine.near_alpha), machine.near_beta * 1e9);
}

}  // namespace tutti::tools
