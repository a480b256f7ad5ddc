// Binomial tree on virtual ranks 0..p-1, rooted at 0 (Thakur2005, 4.2).
//
// The subtree of v is the interval [v, v + subtree): the ranks in it are consecutive, so a
// subtree's blocks are too, and a reduction that combines children by increasing distance keeps the
// order.
#pragma once

#include <algorithm>
#include <bit>

#include "schedule/schedule.hpp"

namespace tutti {

// Smallest q with 2^q >= p: the rounds any logarithmic algorithm needs.
inline int ceil_lg(int p) { return static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1))); }
// The largest q with 2^q <= p, p >= 1.
inline int floor_lg(int p) {
  int q = 0;
  while ((2 << q) <= p) ++q;
  return q;
}

// Round k connects v and v + 2^k where v is a multiple of 2^(k+1).
struct BinomialTree {
  int p;

  bool is_parent(Rank v, int k) const { return v % (2 << k) == 0 && v + (1 << k) < p; }
  bool is_child(Rank v, int k) const { return v % (2 << k) == (1 << k); }
  int subtree(Rank v) const {
    const int full = v == 0 ? p : 1 << std::countr_zero(static_cast<unsigned>(v));
    return std::min(full, p - v);
  }
};

}  // namespace tutti
