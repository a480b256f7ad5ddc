// What `tutti bench` prints.
#pragma once

#include <string>
#include <vector>

#include "tools/measure/bench_measure.hpp"
#include "tools/measure/session.hpp"

namespace tutti::tools {

// All contenders at one size.
struct Comparison {
  Call call;
  std::vector<Measurement> measurements;  // by contender; the last is the native collective
};

struct Outcome {
  Surroundings where;
  int repetitions = 0;
  Collective collective = Collective::barrier;
  std::vector<Contender> contenders{};
  std::vector<Comparison> comparisons{};

  bool right() const;
};

std::string table_of(const Outcome& outcome);
std::string json_of(const Outcome& outcome);
std::string csv_of(const Outcome& outcome);

}  // namespace tutti::tools
