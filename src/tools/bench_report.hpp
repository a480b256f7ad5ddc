// What `tutti bench` prints.
#pragma once

#include <string>
#include <vector>

#include "tools/bench_measure.hpp"

namespace tutti::tools {

// Where and how times were measured.
struct Surroundings {
  std::string library{};  // the MPI library, and its version
  std::string host{};     // of rank 0
  int p = 1;
  int nodes = 1;
  int processors = 1;  // of the node with fewest for each of its ranks
  int node_ranks = 1;  // ranks on that node
  double load = 0;     // of that machine before the run: processes that want a processor
  int repetitions = 0;

  bool crowded() const { return node_ranks > processors; }
};

// All contenders at one size.
struct Comparison {
  Call call;
  std::vector<Measurement> measurements;  // by contender; the last is the native collective
};

struct Outcome {
  Surroundings where;
  Collective collective = Collective::barrier;
  std::vector<Contender> contenders{};
  std::vector<Comparison> comparisons{};

  bool right() const;
};

std::string table_of(const Outcome& outcome);
std::string json_of(const Outcome& outcome);
std::string csv_of(const Outcome& outcome);

}  // namespace tutti::tools
