// Measures what the cost model knows of a machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "tools/measure/session.hpp"

namespace tutti::tools {

// The median of several measurements, and how far the middle half of them is spread.
struct Estimate {
  double value = 0;
  double spread = 0;  // of the middle half, over the median
};

// Two ranks and messages of one size, in seconds.
struct MessageTimes {
  double bytes = 0;
  double one_way = 0;   // half a round trip
  double exchange = 0;  // both ways at once
};

// All ranks in pairs, which exchange long messages at once.
struct Pattern {
  std::string name{};
  double bandwidth = 0;  // bytes per second that a rank sends, of the slowest pair
};

struct Level {
  bool exists = false;  // there are two such ranks
  Estimate alpha{}, beta{}, alpha_one_way{}, beta_one_way{}, busy{};
  double eager = 0;     // bytes
  double in_order = 0;  // bytes up to which the first of those that leave together arrives first
  std::vector<MessageTimes> sizes{};
};

struct Measured {
  Level between_nodes{}, inside_a_node{};
  // Bytes: between nodes long messages are quicker in such fragments. 0: whole.
  double fragment = 0;
  Estimate gamma{};
  std::optional<SharedMemory>
      memory{};              // nothing if ranks of a node cannot share it, or are crowded
  double near_together = 0;  // seconds per byte of all ranks of the fullest node
  std::vector<Pattern> patterns{};
  double clock_skew = 0;  // seconds, the largest between rank 0 and another
  int ranks_per_node = 1;
};

// Collective; takes some seconds, and shows how far it is. The same on all ranks.
Measured measure_machine(const Session& session);

// What the model takes from it. On one node, between nodes is as inside.
Machine machine_from(const Measured& measured);

}  // namespace tutti::tools
