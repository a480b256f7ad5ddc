// Distances as numbers in a radix: which digit moves in which round, and what that takes (Fan et
// al. 2022; shared/ALGORITHMS.md, section 10).
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

// One round: what has `digit` at `weight` moves digit * weight ranks on.
struct DigitStep {
  int weight = 1;
  int digit = 1;
  int radix = 2;

  int distance() const { return weight * digit; }
  // Of the way to an offset, what is behind it after the round; and whether that is all.
  int travelled(int offset) const { return static_cast<int>(offset % (Units{weight} * radix)); }
  bool ends(int offset) const { return travelled(offset) == offset; }
};

// The rounds for offsets 1 .. p-1, lowest weight first.
inline std::vector<DigitStep> digit_steps(int p, int radix) {
  std::vector<DigitStep> steps;
  for (Units weight = 1; weight < p; weight *= radix) {
    for (int digit = 1; digit < radix && digit * weight < p; ++digit) {
      steps.push_back({static_cast<int>(weight), digit, radix});
    }
  }
  return steps;
}

// Offsets below p that a round moves.
inline int offsets_moved(int p, const DigitStep& step) {
  const Units cycle = Units{step.weight} * step.radix;
  const Units rest = p % cycle - Units{step.distance()};
  const Units last = rest < 0 ? 0 : rest < step.weight ? rest : step.weight;
  return static_cast<int>(p / cycle * step.weight + last);
}

// Of these, those without digits of lower weight: where each offset moves in one round only.
inline int offsets_starting(int p, const DigitStep& step) {
  const Units cycle = Units{step.weight} * step.radix;
  return static_cast<int>((p - step.distance() + cycle - 1) / cycle);
}

// All offsets a round moves, in order.
inline std::vector<int> moved_offsets(int p, const DigitStep& step) {
  std::vector<int> offsets;
  const Units cycle = Units{step.weight} * step.radix;
  for (Units first = step.distance(); first < p; first += cycle) {
    for (Units d = first; d < std::min<Units>(first + step.weight, p); ++d) {
      offsets.push_back(static_cast<int>(d));
    }
  }
  return offsets;
}

// Offsets 0 .. p-1 by their lowest digit, then by the next: those with the same lowest digits are
// consecutive, and those without any come first.
inline std::vector<int> by_lowest_digits(int p, int radix) {
  if (p <= 1) return std::vector<int>(static_cast<std::size_t>(p));
  const std::vector<int> without_lowest = by_lowest_digits((p + radix - 1) / radix, radix);
  std::vector<int> offsets;
  offsets.reserve(static_cast<std::size_t>(p));
  for (int digit = 0; digit < radix; ++digit) {
    for (const int each : without_lowest) {
      if (each * radix + digit < p) offsets.push_back(each * radix + digit);
    }
  }
  return offsets;
}

}  // namespace tutti
