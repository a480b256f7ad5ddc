#include "tools/shares.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tutti::tools {

double share_of_first(std::span<const double> wanted, double seconds) {
  const double all = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  if (all <= seconds) return wanted.front() * (seconds / all);
  std::vector<double> sorted(wanted.begin(), wanted.end());
  std::ranges::sort(sorted);
  double left = seconds;
  auto others = static_cast<double>(sorted.size());
  for (const double each : sorted) {
    if (each * others > left) break;
    left -= each;
    --others;
  }
  return std::min(wanted.front(), left / others);
}

}  // namespace tutti::tools
