// Which algorithm serves each call of a grid over p and n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "select/select.hpp"
#include "tools/cli/options.hpp"

namespace tutti::tools {

struct Winner : Variant {
  std::optional<double> predicted{};  // seconds; none for native
  std::optional<double> agreement{};  // seconds in which ranks tell each other sizes first
};

struct Winners {
  CallOptions call{};      // but ranks and bytes
  std::string settings{};  // what else decides than the model; empty: nothing
  Machine machine{};
  RankRange range{};                  // that was asked for
  std::vector<int> ranks{};           // columns, in order
  std::vector<std::int64_t> sizes{};  // rows, in order: powers of two, or 0 for a barrier
  std::vector<Winner> cells{};        // column by column

  const Winner& at(std::size_t column, std::size_t row) const {
    return cells[column * sizes.size() + row];
  }
};

// At most `most` (over 50) rank counts of the range: its ends, powers of two and their neighbours,
// and others between them, evenly on a logarithmic axis.
std::vector<int> sample(const RankRange& range, std::size_t most);
// "8:16M" or "1K": the powers of two in it. Throws std::invalid_argument naming what is accepted.
std::vector<std::int64_t> parse_powers(const std::string& text);

// Fills in the cells. Throws std::invalid_argument if an option is wrong.
void choose_all(Winners& map, const Selector& selector);

// Where a column begins and ends on the axis: halfway to its neighbours.
double left_edge(const Winners& map, std::size_t column);
double right_edge(const Winners& map, std::size_t column);

struct Share {
  const Algorithm* algorithm = nullptr;  // null: native
  double share = 0;                      // of the area, both axes logarithmic: 0 to 1
};
// Of all that win somewhere, the largest first.
std::vector<Share> shares(const Winners& map);

// What `tutti map` prints and draws (map_report.cpp).
// A grid of letters and what they mean, in colour on a terminal.
std::string grid_of(const Winners& map);
std::string csv_of(const Winners& map);
std::string json_of(const Winners& map);
// A script for gnuplot.
std::string script_of(const Winners& map);

}  // namespace tutti::tools
