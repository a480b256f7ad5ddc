// Reduction by binary blocks (Thakur2005, 5.2 and figure 13), for any p, operand order kept.
//
// Every block of 2^k ranks halves its vector by itself. The smallest block's parts are cut into the
// parts of the next larger block and added there, and so on, until the largest block has the
// result. For all ranks to have it, it goes back the same way: each block, while it doubles its
// parts, gives the next smaller one its parts in two halves.
#pragma once

#include "algorithms/halving.hpp"
#include "topology/binary_blocks.hpp"

namespace tutti::phase {

class BlocksCall {
 public:
  BlocksCall(const Call& call, Rank me, ScheduleBuilder& out);

  // The vector in as many parts as the largest block has ranks.
  Halving start(const Slice& target) const;
  // The largest block ends with a part each.
  void reduce(Halving& state);
  void allgather(Halving& state);
  // To the root, which takes the place of rank 0 if it is in a smaller block.
  void gather(Halving& state);

 private:
  const BinaryBlock& block() const { return blocks_.at(mine_); }
  int largest() const { return blocks_.at(0).size; }
  Member member(Rank first) const;
  // The part of the vector that rank `number` of a block of `size` ranks has once it has halved.
  Parts parts_of(int size, int number) const;

  const Call& call_;
  Rank me_;
  ScheduleBuilder& out_;
  BinaryBlocks blocks_;
  int mine_;    // the number of this rank's block
  int number_;  // of this rank in it
};

}  // namespace tutti::phase
