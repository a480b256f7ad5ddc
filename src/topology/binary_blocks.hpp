// p ranks as blocks of 2^k ranks, one for each bit of p, the largest first (Thakur2005, 5.2), and
// the rounds in which the blocks' results are brought together.
#pragma once

#include <vector>

#include "schedule/schedule.hpp"
#include "topology/logarithm.hpp"

namespace tutti {

struct BinaryBlock {
  Rank first = 0;
  int size = 1;
  // Rounds, counted from the start of the reduction: its own halving done; the next smaller block's
  // result coming in; complete.
  int halved = 0;
  int joined = 0;
  int complete = 0;
  // Counted from the end of the reduction: it has results to double; the next smaller block is
  // given its results, in two rounds.
  int doubling = 0;
  int giving = 0;

  Rank last() const { return first + size - 1; }
};

class BinaryBlocks {
 public:
  explicit BinaryBlocks(int p) {
    Rank first = 0;
    for (int k = floor_lg(p); k >= 0; --k) {
      if ((p >> k & 1) == 0) continue;
      blocks_.push_back({.first = first, .size = 1 << k, .halved = k});
      first += 1 << k;
    }
    for (int i = count() - 1; i >= 0; --i) {
      BinaryBlock& block = blocks_[static_cast<std::size_t>(i)];
      block.joined = block.complete = block.halved;
      if (i + 1 == count()) continue;
      const BinaryBlock& smaller = at(i + 1);
      block.joined = std::max(block.halved, smaller.complete);
      block.complete = block.joined + block.size / smaller.size;
    }
    for (int i = 0; i + 1 < count(); ++i) {
      BinaryBlock& block = blocks_[static_cast<std::size_t>(i)];
      // The smaller block's results are wanted in halves, so one doubling before they are whole.
      block.giving = block.doubling + block.halved - at(i + 1).halved - 1;
      blocks_[static_cast<std::size_t>(i) + 1].doubling = block.giving + 2;
    }
  }

  int count() const { return static_cast<int>(blocks_.size()); }
  const BinaryBlock& at(int i) const { return blocks_[static_cast<std::size_t>(i)]; }
  int number_of(Rank rank) const {
    int i = 0;
    while (at(i).last() < rank) ++i;
    return i;
  }
  bool is_smallest(int i) const { return i + 1 == count(); }
  // The round of doubling step s of a block: those after it gives come two rounds later.
  int doubling_round(int i, int s) const {
    const bool gave = !is_smallest(i) && at(i).doubling + s >= at(i).giving;
    return at(i).doubling + s + (gave ? 2 : 0);
  }
  int reduction_rounds() const { return at(0).complete; }
  int doubling_rounds() const {
    int rounds = 0;
    for (int i = 0; i < count(); ++i) {
      rounds = std::max(rounds, at(i).doubling + at(i).halved + (is_smallest(i) ? 0 : 2));
    }
    return rounds;
  }

 private:
  std::vector<BinaryBlock> blocks_;
};

}  // namespace tutti
