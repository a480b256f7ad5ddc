// What a schedule takes where ranks share nodes, estimated from the ranks of a few nodes.
#pragma once

#include <span>

#include "machine/machine.hpp"
#include "schedule/schedule.hpp"
#include "topology/placement.hpp"

namespace tutti {

// A rank, and its schedule.
struct RankSchedule {
  Rank rank = 0;
  Schedule schedule{};
};

// Seconds, if all ranks went round by round together. Work is what a round's longest message takes,
// or all of a node, which share its connection or its memory; and what a rank reduces.
struct Lockstep {
  double latency = 0;  // of a round: the mean of its messages
  double work = 0;
};

// All ranks of a node are there or none. `placement` may be null: every rank has a node of its own.
// In linear time: for comparisons where a simulation would take too long.
Lockstep lockstep(std::span<const RankSchedule> ranks, Units unit_bytes, const Machine& machine,
                  const Placement* placement);

}  // namespace tutti
