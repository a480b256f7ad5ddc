// Reduces p ranks to the 2^floor(lg p) that recursive doubling and halving need (Thakur2005, 4.4).
//
// Of the first 2r ranks, r = p - 2^floor(lg p), one of each pair is folded into the rank beside it,
// its host. The ranks that stay are numbered in rank order, so consecutive stays so.
#pragma once

#include "schedule/schedule.hpp"
#include "topology/logarithm.hpp"

namespace tutti {

class PairFold {
 public:
  enum class Host : int { even, odd };

  // `kept` is a host whatever the others are: the roles in its pair are exchanged.
  explicit PairFold(int p, Host host = Host::odd, Rank kept = -1)
      : pairs_(p - (1 << floor_lg(p))),
        host_(host == Host::odd),
        exchanged_(kept >= 0 && kept < 2 * pairs_ && kept % 2 != host_ ? kept / 2 : -1) {}

  int pairs() const { return pairs_; }
  bool is_paired(Rank me) const { return me < 2 * pairs_; }
  bool is_host(Rank me) const { return is_paired(me) && me == host_of(me / 2); }
  bool is_folded(Rank me) const { return is_paired(me) && !is_host(me); }
  // The other rank of the pair.
  static Rank partner(Rank me) { return me ^ 1; }
  // Of a rank that stays: its number among those, and back.
  int index_of(Rank me) const { return is_paired(me) ? me / 2 : me - pairs_; }
  Rank rank_of(int index) const { return index < pairs_ ? host_of(index) : index + pairs_; }
  // The first rank that is, or is folded into, a rank numbered `index` or more.
  Rank first_rank(int index) const { return index < pairs_ ? 2 * index : index + pairs_; }

 private:
  Rank host_of(int pair) const { return 2 * pair + (pair == exchanged_ ? 1 - host_ : host_); }

  int pairs_;
  int host_;
  int exchanged_;
};

}  // namespace tutti
