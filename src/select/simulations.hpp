// What formulas leave out, by simulation: nodes that ranks share, messages that overlap.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "machine/machine.hpp"

namespace tutti {

// What a simulation says of an algorithm.
struct Correction {
  struct Tried {
    int parameter = 0;
    double factor = 1;  // how many times as long as its formula says it takes
    double bytes = 0;   // of all messages, if it was simulated
  };
  std::vector<Tried> tried{{}};  // never empty
  int best = 0;                  // the parameter; 0: what the formula says is

  const Tried& nearest(int parameter) const;
  double factor(int parameter) const { return nearest(parameter).factor; }
};

// Whether the model may choose it: what waits for receivers, lest messages arrive late together,
// only where they are known to share connections fairly. Where they pass in order that gains
// nothing, and models do not know all it costs: it won none of 118 races over TCP (docs/results).
// Nor strands where ranks share nodes: these take up to 1.13 times as long as the model has it, on
// hier16. The call has to be one that the algorithm accepts.
bool suits(const Algorithm& algorithm, const Call& call, const Machine& machine);

// Steps, and pieces of messages, that are simulated of all ranks together, at most. Of few ranks
// fewer, as there is less to be won: some ms then.
inline constexpr std::size_t greatest_work = 300'000;
constexpr std::size_t usual_work(int p) { return p <= 8 ? 30'000 : greatest_work; }

// Of each algorithm of the call's collective, in the order of algorithms_of: by a simulation, or,
// where ranks share nodes and one of them has more than `most_work`, estimated from
// the schedules of the ranks on two nodes. Empty where that would take long too. The usual one for
// an algorithm that does not accept the call, and for one that its formula says is far from best.
// Where the call's own size has too many steps, a smaller one stands for it. Segments and radices
// are tried as long as all together take no more than `most_work`. Formulas are for machine `by`.
// Found when first asked for; the last few hundred are kept for all callers of this process.
using Corrections = std::vector<Correction>;
std::shared_ptr<const Corrections> corrections(const Call& call, const Machine& machine,
                                               const Machine& by, std::size_t most_work);

}  // namespace tutti
