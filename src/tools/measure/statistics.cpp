#include "tools/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tutti::tools {

double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::optional<std::pair<double, double>> interval_of_median(const std::vector<double>& sorted) {
  // Fewer than k of n values lie below the median with probability sum(C(n, i), i < k) / 2^n.
  const auto n = static_cast<double>(sorted.size());
  double tail = 0;
  std::size_t k = 0;
  for (; k < sorted.size() / 2; ++k) {
    const auto i = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) -
                     n * std::log(2.0));
    if (tail > 0.025) break;
  }
  if (k == 0) return std::nullopt;
  return std::pair(sorted[k - 1], sorted[sorted.size() - k]);
}

Quartiles quartiles(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t quarter = values.size() / 4;
  return {values[quarter], median(values), values[values.size() - 1 - quarter]};
}

bool is_surely_less(const std::vector<double>& one, const std::vector<double>& other) {
  // Of 20 rounds between equals, 15 and more are won with a probability of 2%.
  constexpr std::size_t enough = 20;
  if (quartiles(one).upper < quartiles(other).lower) return true;
  const std::size_t rounds = std::min(one.size(), other.size());
  std::size_t won = 0;
  for (std::size_t i = 0; i < rounds; ++i) won += one[i] < other[i] ? 1 : 0;
  return rounds >= enough && 4 * won >= 3 * rounds;
}

double share_of_first(std::span<const double> each) {
  const double all = std::accumulate(each.begin(), each.end(), 0.0,
                                     [](double sum, double one) { return sum + std::sqrt(one); });
  return std::sqrt(each.front()) / all;
}

}  // namespace tutti::tools
