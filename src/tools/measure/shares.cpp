#include "tools/measure/shares.hpp"

#include <cmath>
#include <numeric>

namespace tutti::tools {

double share_of_first(std::span<const double> each) {
  const double all = std::accumulate(each.begin(), each.end(), 0.0,
                                     [](double sum, double one) { return sum + std::sqrt(one); });
  return std::sqrt(each.front()) / all;
}

}  // namespace tutti::tools
