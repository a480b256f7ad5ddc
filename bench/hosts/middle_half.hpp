// What times are summarised by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

// Some calls take twice as long as others, and a median would jump.
inline double mean_of_middle_half(std::vector<double> values) {
  std::ranges::sort(values);
  const auto quarter = static_cast<std::ptrdiff_t>(values.size() / 4);
  const auto first = values.begin() + quarter, last = values.end() - quarter;
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}
