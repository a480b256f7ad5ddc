// Which algorithm serves a call.
//
// A choice must be the same on all ranks, so it depends only on what MPI makes the same on all:
// the call, never the rank, and the process-wide settings, which tutti exec gives to all alike.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "model/cost.hpp"
#include "select/known.hpp"
#include "select/profile.hpp"
#include "select/simulations.hpp"

namespace tutti {

struct Choice : Variant {
  std::string why;
  double fragment = 0;  // bytes: as Machine::fragment
};

// What the user asked for, by collective: an algorithm or null, and its parameter or 0.
using Forced = std::array<Variant, collectives.size()>;

// Parses "allreduce=circulant,bcast=two_tree:16" (the form of TUTTI_FORCE; a parameter, such as the
// number of segments, comes after the colon). Throws
// std::invalid_argument naming what is known.
Forced parse_forced(std::string_view text);

// The form of TUTTI_USER_OPS: "any" if operators made by the user take operands of any length, or
// empty. Throws std::invalid_argument naming both.
bool parse_user_ops(std::string_view text);

enum class Policy : std::uint8_t {
  model,      // the cheapest under the machine model
  mpich2005,  // the fixed cut-offs of Thakur2005
};
// "model" or "mpich2005"; empty is the first. Throws std::invalid_argument naming both.
Policy parse_policy(std::string_view text);

// The call by which ranks tell each other, in numbers of 8 bytes: the sizes of all blocks, from the
// root; or the largest block and the busiest rank of an all-to-all, as the greatest of all ranks.
Call agreement(Collective collective, int p, Rank root);

class Selector {
 public:
  // `profile` may be null; where it has nothing to say, what is known of the library does, then the
  // policy.
  explicit Selector(Forced forced = {}, Policy policy = Policy::model,
                    Machine machine = usual_machine(),
                    std::shared_ptr<const Profile> profile = nullptr,
                    Library library = Library::modelled);

  // The forced algorithm if it accepts the call; else the policy's; else native.
  Choice choose(const Call& call) const;
  // Whether ranks should tell each other sizes before they choose, as none knows all of them: where
  // what is to be gained on messages without data is twice what the telling takes. Never where the
  // model does not choose (known.hpp).
  bool wants_agreement(Collective collective, int p,
                       std::shared_ptr<const Placement> placement = nullptr) const;
  // Seconds: of the formula; where ranks share nodes, times what a simulation takes longer at about
  // that size.
  double predicted(const Algorithm& algorithm, const Call& call) const;
  // Of the algorithm that is the cheapest for the call, whatever is forced or was measured.
  double least(const Call& call) const;
  // What the algorithm's parameter is to be.
  int parameter(const Algorithm& algorithm, const Call& call) const;
  // Simulates no more than so much, nor than usual (usual_work): for who asks thousands of times.
  // Where that is not enough, there are formulas only.
  void simulate_at_most(std::size_t work) { most_work_ = work; }
  // Of the calls of this one's ranks.
  Machine machine(const Call& call) const;
  const Machine& machine() const { return machine_; }

 private:
  Choice cheapest(const Call& call) const;
  double bytes_sent(const Algorithm& algorithm, const Call& call) const;
  std::optional<Choice> measured(const Call& call) const;
  std::optional<Choice> known(const Call& call) const;
  int scaled(const Variant& named, const Call& measured, const Call& call) const;
  std::shared_ptr<const Correction> correction(const Algorithm& algorithm, const Call& one) const;

  Forced forced_;
  Policy policy_;
  Machine machine_;
  std::shared_ptr<const Profile> profile_;
  Library library_;
  std::size_t most_work_ = std::numeric_limits<std::size_t>::max();
};

// What Thakur2005's fixed cut-offs say: the name of an algorithm and the rule; empty if the paper
// has none, as it leaves only one way.
struct Rule {
  std::string_view algorithm;
  std::string_view text;
};
Rule thakur2005(const Call& call);

}  // namespace tutti
