// Reduces p ranks to the 2^floor(lg p) that recursive doubling and halving need (Thakur2005, 4.4).
//
// Of the first 2r ranks, r = p - 2^floor(lg p), the even ones are folded into the odd one beside
// them, their host. The ranks that stay are numbered in rank order, so consecutive stays so.
#pragma once

#include "topology/binomial.hpp"

namespace tutti {

class PairFold {
 public:
  explicit PairFold(int p) : pairs_(p - (1 << floor_lg(p))) {}

  int pairs() const { return pairs_; }
  bool is_folded(Rank me) const { return me < 2 * pairs_ && me % 2 == 0; }
  bool is_host(Rank me) const { return me < 2 * pairs_ && me % 2 == 1; }
  // Of a rank that stays: its number among those, and back.
  int index_of(Rank me) const { return me < 2 * pairs_ ? me / 2 : me - pairs_; }
  Rank rank_of(int index) const { return index < pairs_ ? 2 * index + 1 : index + pairs_; }

 private:
  int pairs_;
};

}  // namespace tutti
