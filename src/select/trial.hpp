// What a call takes with one algorithm and one parameter, from the schedules: of the whole call,
// or, where that has too many segments, of the first of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "algorithms/algorithm.hpp"
#include "machine/machine.hpp"

namespace tutti {

// By all ranks in simulated time; or, where ranks share nodes, round by round on the root's node
// and the last rank's: what a node saves of the formula's latency.
enum class Means : std::uint8_t { simulation, two_nodes };
std::size_t ranks_looked_at(Means means, const Call& call);

struct Trial {
  Call call;               // with its parameter
  std::size_t work;        // of what is looked at, at least (model/simulate.hpp)
  int first_segments = 0;  // of the shortest of its beginnings; 0: the whole call is looked at
};
// Nothing if it takes more work than that. The parameter is the call's own, or the formula's.
std::optional<Trial> trial(const Algorithm& algorithm, const Call& call, const Machine& by,
                           std::size_t ranks, std::size_t most_work);

struct Estimate {
  double seconds = 0;
  double bytes = 0, messages = 0;  // of all ranks; 0 by two nodes
  std::size_t work = 0;            // that it took
};
// Within 2% of a simulation of the whole call; within a quarter where a pipeline's halves start a
// latency apart, which takes hundreds of segments to get going (tests/unit/trial.cpp). Formulas are
// for machine `by`.
Estimate estimate(Means means, const Algorithm& algorithm, const Trial& trial,
                  const Machine& machine, const Machine& by, std::size_t most_work);

}  // namespace tutti
