// Times over n, as `tutti bench` and `tutti simulate` have printed them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace tutti::tools {

struct Line {
  std::string name;
  std::map<double, double> seconds{};  // by n; nothing where there is no result
};

struct Timings {
  Collective collective = Collective::barrier;
  std::string title;          // collective, p, and the root if it has one
  std::string where;          // the machine or the MPI library
  std::string base;           // the name of the line to compare with: native, or lower bound
  std::vector<Line> lines{};  // that have times, in the order of the files
};

inline constexpr const char* lower_bound_name = "lower bound";

// Reads the output of `tutti bench --csv`, of `tutti bench --json`, or of `tutti simulate --json`,
// once or several times in a row; files are joined. Throws std::invalid_argument naming the file,
// what is wrong with it and what is accepted.
Timings read_timings(const std::vector<std::string>& files);

// Every line divided by the base, where both have times. Throws std::invalid_argument if there is
// no base.
Timings ratios(const Timings& timings);

// All n, in order.
std::vector<double> sizes_of(const Timings& timings);

}  // namespace tutti::tools
