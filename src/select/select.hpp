// Which algorithm serves a call.
//
// A choice must be the same on all ranks, so it depends only on what MPI makes the same on all:
// the call, never the rank, and the process-wide settings, which tutti exec gives to all alike.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "model/formula.hpp"

namespace tutti {

struct Choice {
  const Algorithm* algorithm = nullptr;  // null: the native collective
  std::string why;
};

// Algorithms named by the user: at most one per collective; null where none is.
using Forced = std::array<const Algorithm*, collectives.size()>;

// Parses "allreduce=circulant,bcast=binomial" (the form of TUTTI_FORCE). Throws
// std::invalid_argument naming what is known.
Forced parse_forced(std::string_view text);

enum class Policy : std::uint8_t {
  model,      // the cheapest under the machine model
  mpich2005,  // the fixed cut-offs of Thakur2005
};
// "model" or "mpich2005"; empty is the first. Throws std::invalid_argument naming both.
Policy parse_policy(std::string_view text);

class Selector {
 public:
  explicit Selector(Forced forced = {}, Policy policy = Policy::model, Machine machine = {});

  // The forced algorithm if it accepts the call; else the policy's; else native. Not for use by
  // several threads at once.
  Choice choose(const Call& call) const;
  // Seconds the formula predicts.
  double predicted(const Algorithm& algorithm, const Call& call) const;

 private:
  Choice cheapest(const Call& call) const;

  Forced forced_;
  Policy policy_;
  Machine machine_;
  std::vector<Formula> costs_;  // in the order of algorithms()
};

// What Thakur2005's fixed cut-offs say: the name of an algorithm and the rule; empty if the paper
// has none, as it leaves only one way.
struct Rule {
  std::string_view algorithm;
  std::string_view text;
};
Rule thakur2005(const Call& call);

}  // namespace tutti
