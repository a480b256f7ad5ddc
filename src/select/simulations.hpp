// What formulas leave out, by simulation: nodes that ranks share, messages that overlap.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/machine.hpp"

namespace tutti {

// How many times as long as the formula says each algorithm of the call's collective takes, in the
// order of algorithms_of: in a simulation, or, where ranks share nodes and one of them has too many
// steps for that to be quick, estimated from the schedules of the ranks on two nodes. Empty where
// that would take long too. 1 for an algorithm that does not accept the call. The call has equal
// blocks; where its own size has too many steps, a smaller one stands for it. Formulas are for
// machine `by`. Kept for all callers of this process, and found when first asked for: some
// milliseconds then.
using Corrections = std::vector<double>;
const Corrections& corrections(const Call& call, const Machine& machine, const Machine& by);

}  // namespace tutti
