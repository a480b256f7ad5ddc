// Irregular gathers and scatters over a postal tree, of which only the root knows all sizes.
//
// Short blocks take the tree, long ones go straight between the root and their rank: each rank sees
// by a block's size which way it takes. The sizes of a subtree's blocks go before them, the same
// way. However sizes are spread, no block that is dear to move moves twice.
#pragma once

#include <functional>

#include "algorithms/algorithm.hpp"
#include "topology/postal_tree.hpp"

namespace tutti {

class ShortBlocks {
 public:
  // Longer ones, in bytes, are better sent as messages of their own, which overlap.
  static constexpr Units longest = 2048;

  static bool is_long(Units size) { return size > longest; }

  // Of rank me's subtree.
  ShortBlocks(const Call& call, Rank me);

  bool goes_straight(Rank v) const { return is_long(size(v)); }
  // Where rank me has the short ones of v, v+1, ..., v+count-1: the root where `block` says, a leaf
  // has its own, others keep them one after the other in scratch. Not to outlive this object.
  std::function<Slices(Rank v, int count)> places(std::function<Slice(Rank v)> block,
                                                  const Slice& own, ScheduleBuilder& out) const;

 private:
  Units size(Rank v) const { return sizes_[static_cast<std::size_t>(v - me_)]; }
  // Bytes of the short ones before v.
  Units before(Rank v) const { return before_[static_cast<std::size_t>(v - me_)]; }

  Rank me_;
  int count_;  // ranks of the subtree
  std::vector<Units> sizes_, before_;
};

}  // namespace tutti
