#include "verify/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace tutti {

ValueId Products::intern(Runs runs) {
  const auto [found, fresh] = ids_.try_emplace(runs, static_cast<ValueId>(values_.size()));
  if (!fresh) return found->second;
  std::uint64_t fingerprint = 1;
  for (const auto& [first, last] : runs) {
    fingerprint = mixed(fingerprint, static_cast<std::uint64_t>(first));
    fingerprint = mixed(fingerprint, static_cast<std::uint64_t>(last));
  }
  values_.push_back(std::move(runs));
  fingerprints_.push_back(fingerprint);
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

ValueId Products::combine(ValueId left, ValueId right, const OperandPlace& place) {
  const bool expression = keep_ == Keep::expression;
  const auto [found, fresh] =
      combined_.try_emplace({left, right, expression ? place : OperandPlace{}}, -1);
  if (!fresh) return found->second;
  Runs together = merged(runs(left), runs(right));
  if (together.empty()) return -1;
  if (expression) {
    found->second = static_cast<ValueId>(values_.size());
    values_.push_back(std::move(together));
    const std::uint64_t operands = mixed(mixed(2, fingerprint(left)), fingerprint(right));
    const std::uint64_t from = mixed(operands, static_cast<std::uint64_t>(place.first));
    fingerprints_.push_back(mixed(from, static_cast<std::uint64_t>(place.size)));
  } else {
    found->second = intern(std::move(together));
  }
  return found->second;
}

Rank Products::lowest(ValueId value, const Placement* order) const {
  Rank lowest = std::numeric_limits<Rank>::max();
  for (const auto& [first, last] : runs(value)) {
    for (Rank rank = first; rank <= last; ++rank) {
      lowest = std::min(lowest, order == nullptr ? rank : order->position(rank));
      if (order == nullptr) break;
    }
  }
  return lowest;
}

std::string Products::describe(ValueId value) const {
  std::string text;
  for (const auto& [first, last] : runs(value)) {
    text += text.empty() ? "" : " op ";
    text += first == padding ? "padding"
            : first == last  ? fmt::format("{}", first)
                             : fmt::format("{}..{}", first, last);
  }
  return text;
}

Extents joined(Extents extents) {
  std::size_t last = 0, used = 0;
  for (const Extent& next : extents) {
    if (next.size == 0) continue;
    Extent& before = extents[last];
    if (used > 0 && before.value == next.value && before.index + before.size == next.index) {
      before.size += next.size;
    } else {
      last = used++;
      extents[last] = next;
    }
  }
  extents.resize(used);
  return extents;
}

SymbolicBuffer::Cells::const_iterator SymbolicBuffer::cell_at(Units at) const {
  return std::ranges::upper_bound(cells_, at, {}, [](const Cell& cell) { return cell.end(); });
}

std::ptrdiff_t SymbolicBuffer::cut(Units at) {
  const std::ptrdiff_t number = cell_at(at) - cells_.begin();
  if (number == std::ssize(cells_)) return number;
  Cell& cell = cells_[static_cast<std::size_t>(number)];
  const Units before = at - cell.start;
  if (before <= 0) return number;
  const Extent& all = cell.extent;
  const Cell rest{at, {all.value, all.index + before, all.size - before}};
  cell.extent.size = before;
  cells_.insert(cells_.begin() + number + 1, rest);
  return number + 1;
}

void SymbolicBuffer::write(Units offset, const Extents& extents) {
  Units end = offset;
  for (const Extent& extent : extents) end += extent.size;
  const std::ptrdiff_t first = cut(offset);
  const std::ptrdiff_t last = cut(end);
  const auto taken = static_cast<std::ptrdiff_t>(extents.size());
  const auto begin = cells_.begin() + first;
  if (taken > last - first) {
    cells_.insert(begin, static_cast<std::size_t>(taken - (last - first)), Cell{});
  } else {
    cells_.erase(begin, begin + (last - first - taken));
  }
  auto cell = cells_.begin() + first;
  for (const Extent& extent : extents) {
    *cell++ = {offset, extent};
    offset += extent.size;
  }
}

Extents SymbolicBuffer::read(Units offset, Units size) const {
  Extents result;
  const Units end = offset + size;
  for (auto cell = cell_at(offset); offset < end; ++cell) {
    if (cell == cells_.end() || cell->start > offset) return {};
    const Units skipped = offset - cell->start;
    const Units taken = std::min(cell->extent.size - skipped, end - offset);
    result.push_back({cell->extent.value, cell->extent.index + skipped, taken});
    offset += taken;
  }
  return joined(std::move(result));
}

bool SymbolicBuffer::defined_anywhere(Units offset, Units size) const {
  const auto cell = cell_at(offset);
  return cell != cells_.end() && cell->start < offset + size;
}

}  // namespace tutti
