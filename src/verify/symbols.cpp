#include "verify/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tutti {

ValueId Products::intern(Runs runs) {
  const auto [found, fresh] = ids_.try_emplace(runs, static_cast<ValueId>(values_.size()));
  if (fresh) values_.push_back(std::move(runs));
  return found->second;
}

// The runs of both in operand order or, if the order does not matter, in rank order; touching runs
// become one. Empty if they share a rank.
Products::Runs Products::merged(const Runs& left, const Runs& right) const {
  Runs all = left;
  all.insert(all.end(), right.begin(), right.end());
  Runs ordered = all;
  std::ranges::sort(ordered);
  for (std::size_t i = 1; i < ordered.size(); ++i) {
    if (ordered[i].first <= ordered[i - 1].second) return {};
  }
  if (commutative_) all.swap(ordered);
  Runs result{all.front()};
  for (auto run = all.begin() + 1; run != all.end(); ++run) {
    if (run->first == result.back().second + 1) {
      result.back().second = run->second;
    } else {
      result.push_back(*run);
    }
  }
  return result;
}

ValueId Products::combine(ValueId left, ValueId right) {
  const auto [found, fresh] = combined_.try_emplace({left, right}, -1);
  if (fresh) {
    Runs runs =
        merged(values_[static_cast<std::size_t>(left)], values_[static_cast<std::size_t>(right)]);
    if (!runs.empty()) found->second = intern(std::move(runs));
  }
  return found->second;
}

std::string Products::describe(ValueId value) const {
  std::string text;
  for (const auto& [first, last] : values_[static_cast<std::size_t>(value)]) {
    text += text.empty() ? "" : " op ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
  }
  return text;
}

Extents joined(const Extents& extents) {
  Extents result;
  for (const Extent& next : extents) {
    if (next.size == 0) continue;
    if (!result.empty() && result.back().value == next.value &&
        result.back().index + result.back().size == next.index) {
      result.back().size += next.size;
    } else {
      result.push_back(next);
    }
  }
  return result;
}

// Makes `at` a border between cells.
void SymbolicBuffer::cut(Units at) {
  auto after = cells_.upper_bound(at);
  if (after == cells_.begin()) return;
  auto& [start, extent] = *std::prev(after);
  const Units before = at - start;
  if (before == 0 || before >= extent.size) return;
  cells_[at] = {extent.value, extent.index + before, extent.size - before};
  extent.size = before;
}

void SymbolicBuffer::write(Units offset, const Extents& extents) {
  Units end = offset;
  for (const Extent& extent : extents) end += extent.size;
  cut(offset);
  cut(end);
  cells_.erase(cells_.lower_bound(offset), cells_.lower_bound(end));
  for (const Extent& extent : extents) {
    cells_[offset] = extent;
    offset += extent.size;
  }
}

Extents SymbolicBuffer::read(Units offset, Units size) const {
  Extents result;
  const Units end = offset + size;
  auto cell = cells_.upper_bound(offset);
  if (cell != cells_.begin()) --cell;
  for (; offset < end; ++cell) {
    if (cell == cells_.end() || cell->first > offset) return {};
    const Units skipped = offset - cell->first;
    const Units taken = std::min(cell->second.size - skipped, end - offset);
    if (taken <= 0) return {};
    result.push_back({cell->second.value, cell->second.index + skipped, taken});
    offset += taken;
  }
  return joined(result);
}

bool SymbolicBuffer::defined_anywhere(Units offset, Units size) const {
  auto cell = cells_.upper_bound(offset);
  if (cell != cells_.begin() && std::prev(cell)->first + std::prev(cell)->second.size > offset) {
    return true;
  }
  return cell != cells_.end() && cell->first < offset + size;
}

}  // namespace tutti
