#include "select/select.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "algorithms/registry.hpp"

namespace tutti {

Policy parse_policy(std::string_view text) {
  if (text.empty() || text == "model") return Policy::model;
  if (text == "mpich2005") return Policy::mpich2005;
  throw std::invalid_argument(fmt::format("'{}' is no policy; known are: model, mpich2005", text));
}

Selector::Selector(Forced forced, Policy policy, Machine machine)
    : forced_(forced), policy_(policy), machine_(machine) {
  for (const Algorithm* algorithm : algorithms()) costs_.emplace_back(algorithm->cost);
}

double Selector::predicted(const Algorithm& algorithm, const Call& call) const {
  const auto all = algorithms();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == &algorithm) return costs_[i](call.p, call.bytes(), machine_);
  }
  throw std::invalid_argument("an algorithm that is not registered has no cost");
}

Choice Selector::choose(const Call& call) const {
  const Algorithm* forced = forced_[static_cast<std::size_t>(call.collective)];
  if (forced != nullptr && accepts(*forced, call)) return {forced, "forced by the user"};
  if (policy_ == Policy::mpich2005) {
    const Rule rule = thakur2005(call);
    const Algorithm* named = find_algorithm(call.collective, rule.algorithm);
    if (named != nullptr && accepts(*named, call)) return {named, std::string(rule.text)};
  }
  return cheapest(call);
}

Choice Selector::cheapest(const Call& call) const {
  Choice best{nullptr, "no algorithm accepts this call"};
  double least = 0;
  for (const Algorithm* candidate : algorithms_of(call.collective)) {
    if (!accepts(*candidate, call)) continue;
    if (!info(call.collective).sizes_known()) {
      return {candidate, "the first that accepts it: no rank knows all sizes"};
    }
    const double seconds = predicted(*candidate, call);
    if (best.algorithm != nullptr && seconds >= least) continue;
    least = seconds;
    best = {candidate, "cheapest under the machine model"};
  }
  return best;
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
    if (!collective) {
      throw std::invalid_argument(
          fmt::format("'{}' is no collective; known are: {}", name, known_collectives()));
    }
    const std::string_view wanted =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    const Algorithm* algorithm = find_algorithm(*collective, wanted);
    if (algorithm == nullptr) {
      throw std::invalid_argument(fmt::format("'{}' is no algorithm for {}; known are: {}", wanted,
                                              name, known_algorithms(*collective)));
    }
    forced[static_cast<std::size_t>(*collective)] = algorithm;
  }
  return forced;
}

}  // namespace tutti
