// What every rank sends and holds in each round: the schedules of a call, interpreted on symbols.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "verify/symbols.hpp"

namespace tutti::tools {

// Unit `index` of a value: of one rank's contribution, or of a product of several.
struct Cell {
  ValueId value = -1;
  Units index = 0;

  bool operator<(const Cell& other) const {
    return std::tie(value, index) < std::tie(other.value, other.index);
  }
};
using Cells = std::set<Cell>;

struct TracedMessage {
  Rank from, to;
  Cells carried;
};

struct TracedRound {
  std::vector<TracedMessage> messages;
  // Per rank, after the round: what it holds that it will still send or reduce, or that is its
  // result. For a barrier: the ranks it has heard of.
  std::vector<Cells> held;
};

struct Trace {
  Call call;
  Products values;                  // value r is the contribution of rank r
  std::vector<TracedRound> rounds;  // the first has no messages: it is how the call starts
};

// Throws std::runtime_error if the schedules do not run to the end. Costs time and memory in
// proportion to n: meant for one unit per block.
Trace trace(const Algorithm& algorithm, const Call& call);

}  // namespace tutti::tools
