// The tree of an irregular gather: neighbouring groups merge, and the one with less to move sends
// (Traeff, "On optimal trees for irregular gather and scatter collectives"; shared/ALGORITHMS.md,
// section 11). A scatter takes it backwards.
#pragma once

#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

// At level k groups of 2^k ranks become groups of 2^(k+1).
struct Merge {
  int level = 0;
  Rank from = 0;   // has collected the blocks of
  Rank first = 0;  //   first ..
  int count = 0;   //   .. first + count - 1
  Rank to = 0;
};

// The merges a rank takes part in, in order: some in which it receives, then, for all but rank 0,
// one in which it sends. Sizes of blocks by rank.
std::vector<Merge> merges_of(Rank me, const std::vector<Units>& sizes);

}  // namespace tutti
