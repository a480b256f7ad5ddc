// What simulations say of calls, where formulas leave something out: overlapping messages, ranks
// that share nodes.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/machine.hpp"

namespace tutti {

// Seconds of each algorithm of the call's collective, in the order of algorithms_of; missing where
// it does not accept the call or has too many messages for a simulation to be quick. The call has
// equal blocks; the parameter that algorithm i is to have is parameters[i]. Kept for all callers of
// this process, and simulated when first asked for: some milliseconds then, at worst.
using Simulated = std::vector<std::optional<double>>;
const Simulated& simulated(const Call& call, const std::vector<int>& parameters,
                           const Machine& machine);

}  // namespace tutti
