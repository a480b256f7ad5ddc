// What formulas leave out, by simulation: nodes that ranks share, messages that overlap.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/machine.hpp"

namespace tutti {

// What a simulation says of an algorithm.
struct Correction {
  struct Tried {
    int parameter = 0;
    double factor = 1;  // how many times as long as its formula says it takes
  };
  std::vector<Tried> tried{{}};  // never empty
  int best = 0;                  // the parameter; 0: what the formula says is

  // Of the parameter that was tried and is nearest.
  double factor(int parameter) const;
};

// Of each algorithm of the call's collective, in the order of algorithms_of: by a simulation, or,
// where ranks share nodes and one of them has too many steps for that to be quick, estimated from
// the schedules of the ranks on two nodes. Empty where that would take long too. The usual one for
// an algorithm that does not accept the call, and for one that its formula says is far from best.
// The call has equal blocks; where its own size has too many steps, a smaller one stands for it.
// Formulas are for machine `by`. Kept for all callers of this process, and found when first asked
// for: with 33 ranks 10 ms or so, 100 with 100.
using Corrections = std::vector<Correction>;
const Corrections& corrections(const Call& call, const Machine& machine, const Machine& by);

}  // namespace tutti
