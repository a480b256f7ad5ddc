// Logarithms to base 2 of numbers of ranks, rounded.
#pragma once

#include <bit>

namespace tutti {

// Smallest q with 2^q >= p: the rounds any logarithmic algorithm needs.
inline int ceil_lg(int p) { return static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1))); }
// The largest q with 2^q <= p, p >= 1.
inline int floor_lg(int p) {
  int q = 0;
  while ((2 << q) <= p) ++q;
  return q;
}

}  // namespace tutti
