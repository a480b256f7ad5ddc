// What formulas leave out, by simulation: nodes that ranks share.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/machine.hpp"

namespace tutti {

// How many times as long as the formula says each algorithm of the call's collective takes in a
// simulation, in the order of algorithms_of; missing where it does not accept the call, or has too
// many messages for a simulation to be quick. The call has equal blocks; where its own size is too
// large to simulate, a smaller one is. Formulas are for machine `by`. Kept for all callers of this
// process, and simulated when first asked for: some milliseconds then.
using Corrections = std::vector<std::optional<double>>;
const Corrections& corrections(const Call& call, const Machine& machine, const Machine& by);

}  // namespace tutti
