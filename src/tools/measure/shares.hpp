// How the time for measurements is shared.
#pragma once

#include <span>

namespace tutti::tools {

// The first's share, up to 1, of the time for several things to be measured, of which once takes
// `each`, in seconds. In proportion to the square root: what takes long is measured less often, and
// still gets more time. The mean of n measurements is in doubt by 1 / sqrt(n) of one, and so the
// sum of the squares of all doubts is least.
double share_of_first(std::span<const double> each);

}  // namespace tutti::tools
