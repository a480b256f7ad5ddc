#include "algorithms/short_blocks.hpp"

#include "algorithms/tree_phases.hpp"

namespace tutti {

ShortBlocks::ShortBlocks(const Call& call, Rank me)
    : me_(me), count_(phase::tree_of(call).place(me).count) {
  const bool gathers = info(call.collective).regular == Collective::gather;
  sizes_.push_back((gathers ? call.input(me) : call.output(me)).size);
  for (int i = 1; i < count_; ++i) {
    sizes_.push_back(me == 0 ? call.block_size(i) : call.told[static_cast<std::size_t>(i - 1)]);
  }
  if (me == 0) sizes_[0] = 0;  // the root's own goes nowhere
  before_.push_back(0);
  for (const Units size : sizes_) before_.push_back(before_.back() + (is_long(size) ? 0 : size));
}

std::function<Slices(Rank v, int count)> ShortBlocks::places(std::function<Slice(Rank v)> block,
                                                             const Slice& own,
                                                             ScheduleBuilder& out) const {
  if (me_ == 0) {
    return [this, block = std::move(block)](Rank v, int count) {
      Slices pieces;
      for (Rank r = v; r < v + count; ++r) {
        if (!goes_straight(r)) pieces.push_back(block(r));
      }
      return pieces;
    };
  }
  const Slice held = count_ == 1 ? own : out.scratch(before(me_ + count_));
  return [this, held](Rank v, int count) {
    return Slices{part(held, before(v), before(v + count) - before(v))};
  };
}

}  // namespace tutti
