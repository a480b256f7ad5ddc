// What `tutti map` prints and draws.
#pragma once

#include <string>

#include "tools/show/winners.hpp"

namespace tutti::tools {

// A grid of letters and what they mean, in colour on a terminal.
std::string grid_of(const Winners& map);
std::string csv_of(const Winners& map);
std::string json_of(const Winners& map);
// A script for gnuplot.
std::string script_of(const Winners& map);

}  // namespace tutti::tools
