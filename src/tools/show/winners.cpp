#include "tools/show/winners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/refuse.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/processors.hpp"
#include "tools/cli/progress.hpp"
#include "tools/show/candidates.hpp"

namespace tutti::tools {

namespace {

// The ends, powers of two and their neighbours.
std::set<int> landmarks(const RankRange& range) {
  std::set<int> all{range.first, range.last};
  for (int power = 1; power <= range.last + 1; power *= 2) {
    for (const int p : {power - 1, power, power + 1}) {
      if (range.first <= p && p <= range.last) all.insert(p);
    }
  }
  return all;
}

// As `tutti explain` has it.
Winner choose(const CallOptions& options, const Selector& selector) {
  Call call = options.call();
  Winner cell;
  cell.agreement = agree(call, selector);
  const Choice choice = selector.choose(call);
  static_cast<Variant&>(cell) = choice;
  if (choice.algorithm == nullptr) return cell;
  call.parameter = choice.parameter;
  cell.predicted = selector.predicted(*choice.algorithm, call);
  return cell;
}

double width(const Winners& map, std::size_t column) {
  return std::log2(right_edge(map, column) / left_edge(map, column));
}

}  // namespace

std::vector<int> sample(const RankRange& range, std::size_t most) {
  const std::set<int> known = landmarks(range);
  const double stretch = static_cast<double>(range.last) / range.first;
  const auto count = static_cast<std::size_t>(range.last - range.first) + 1;
  std::set<int> all = known;
  if (count <= most) {
    for (int p = range.first; p <= range.last; ++p) all.insert(p);
    return {all.begin(), all.end()};
  }
  // Many of these fall together where p is small, so that more steps than `most` may fit.
  for (std::size_t steps = 8 * most; steps > 0; --steps) {
    all = known;
    for (std::size_t i = 0; i <= steps; ++i) {
      const double at = static_cast<double>(i) / static_cast<double>(steps);
      all.insert(static_cast<int>(std::lround(range.first * std::pow(stretch, at))));
    }
    if (all.size() <= most) break;
  }
  return {all.begin(), all.end()};
}

std::vector<std::int64_t> parse_powers(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::int64_t first = parse_size(text.substr(0, colon));
  const std::int64_t last = colon == std::string::npos ? first : parse_size(text.substr(colon + 1));
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 1; power <= last; power *= 2) {
    if (power >= first) powers.push_back(power);
  }
  if (powers.empty()) {
    refuse("there is no power of two in '{}'; accepted are N and LO:HI, such as 1K or 8:16M", text);
  }
  return powers;
}

void choose_all(Winners& map, const Selector& selector) {
  const std::size_t rows = map.sizes.size();
  map.cells.assign(map.ranks.size() * rows, {});
  Progress progress(static_cast<double>(map.cells.size()));
  on_all_processors(map.cells.size(), [&](std::size_t i) {
    CallOptions at = map.call;
    at.ranks = fmt::format("{}", map.ranks[i / rows]);
    at.bytes = fmt::format("{}", map.sizes[i % rows]);
    map.cells[i] = choose(at, selector);
    progress.add(1, "p = " + at.ranks);
  });
}

double left_edge(const Winners& map, std::size_t column) {
  const double p = map.ranks[column];
  return column == 0 ? p - 0.5 : (map.ranks[column - 1] + p) / 2;
}

double right_edge(const Winners& map, std::size_t column) {
  return column + 1 == map.ranks.size() ? map.ranks[column] + 0.5 : left_edge(map, column + 1);
}

std::vector<Share> shares(const Winners& map) {
  std::vector<Share> all;
  double total = 0;
  for (std::size_t column = 0; column < map.ranks.size(); ++column) {
    for (std::size_t row = 0; row < map.sizes.size(); ++row) {
      const Algorithm* winner = map.at(column, row).algorithm;
      auto known = std::ranges::find(all, winner, &Share::algorithm);
      if (known == all.end()) known = all.insert(all.end(), {winner, 0});
      known->share += width(map, column);
      total += width(map, column);
    }
  }
  for (Share& each : all) each.share /= total;
  std::ranges::stable_sort(all, std::greater{}, &Share::share);
  return all;
}

}  // namespace tutti::tools
