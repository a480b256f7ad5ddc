// What times that differ from one measurement to the next have in common, and how the time for
// measurements is shared.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::tools {

double median(const std::vector<double>& sorted);
// Where the median lies with at least 95% probability, by order statistics; nothing if there are
// too few values to say.
std::optional<std::pair<double, double>> interval_of_median(const std::vector<double>& sorted);

struct Quartiles {
  double lower, middle, upper;
};
Quartiles quartiles(std::vector<double> values);

// Whether the first was faster than the other, and not by luck: three quarters of its times are
// below three quarters of the other's; or it was faster in three of four rounds, if there were
// enough. Times of a round have the same index: some networks have slow minutes, and some
// algorithms two speeds.
bool is_surely_less(const std::vector<double>& one, const std::vector<double>& other);

// The first's share, up to 1, of the time for several things to be measured, of which once takes
// `each`, in seconds. In proportion to the square root: what takes long is measured less often, and
// still gets more time. The mean of n measurements is in doubt by 1 / sqrt(n) of one, and so the
// sum of the squares of all doubts is least.
double share_of_first(std::span<const double> each);

}  // namespace tutti::tools
