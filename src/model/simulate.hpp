// What the schedules of a call take on a machine, and the least any algorithm could.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "interpret/network.hpp"

namespace tutti {

struct Simulation {
  double seconds = 0;  // of the slowest rank
  int rounds = 0;
  std::int64_t messages = 0;  // of all ranks
  double bytes = 0;           // carried by all messages
  double most_sent = 0;       // bytes sent by the rank that sends most
  double copied = 0;          // bytes, by all ranks, where they share memory
  std::size_t work = 0;       // of all schedules
};

// Runs the schedules of all ranks over that network, or the machine's own, where `placement` may be
// null. Throws std::runtime_error if they do not run to the end.
Simulation simulate(const std::vector<Schedule>& schedules, Units unit_bytes,
                    const Machine& machine, const MakeNetwork& network);
Simulation simulate(const std::vector<Schedule>& schedules, Units unit_bytes,
                    const Machine& machine, const Placement* placement = nullptr);
// Where the call's ranks are; with the parameter that is best on the machine, where the call leaves
// it open, and with the algorithm's question.
// Of ranks whose schedules are alike one is looked at (model/alike.hpp).
Simulation simulate(const Algorithm& algorithm, const Call& call, const Machine& machine);
// What that takes, from the schedules of a few ranks, where all ranks are simulated; of so many
// ranks otherwise. Nothing if it is more than `most`. The call has its parameter.
std::optional<std::size_t> work_of(const Algorithm& algorithm, const Call& call,
                                   const Machine& machine, std::size_t ranks, std::size_t most);

// Of a rank's schedule, its share in what a simulation takes: steps, and pieces of messages.
std::size_t work(const Schedule& schedule);

// Whether all messages of the call go by the memory of one node.
bool is_by_memory(const Call& call, const Machine& machine);

// Bytes that ranks of a node have to copy for that collective, all together: what each must have
// and does not compute from operands where they lie.
double least_copied(Collective collective, int p, double bytes);

// Seconds no algorithm for this collective can beat on a one-ported machine.
double lower_bound(Collective collective, int p, double bytes, const Machine& machine);

// A call of `bytes` bytes as tools ask for it: the whole message, rounded up so that collectives
// with a block per rank have equal blocks; reductions on 8-byte elements, whose sums round, if
// `bytes` allows.
Call call_of_bytes(Collective collective, int p, std::int64_t bytes, Rank root = 0);

}  // namespace tutti
