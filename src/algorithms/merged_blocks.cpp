#include "algorithms/merged_blocks.hpp"

#include <algorithm>

namespace tutti::phase {

Collected collected(const Call& call, Rank me) {
  std::vector<Units> sizes;
  sizes.reserve(static_cast<std::size_t>(call.p));
  for (Rank v = 0; v < call.p; ++v) sizes.push_back(call.block_size(v));
  Collected result{merges_of(me, sizes), me, 1};
  for (const Merge& merge : result.merges) {
    if (merge.to != me) continue;
    result.first = std::min(result.first, merge.first);
    result.count += merge.count;
  }
  return result;
}

BlocksAt collected_at(const Call& call, Rank me, const Collected& mine, ScheduleBuilder& out) {
  const bool gathers = info(call.collective).regular == Collective::gather;
  if (me == call.virtual_root()) {
    return [&call, gathers](Rank v, int count) {
      return gathers ? call.output_blocks(v, count) : call.input_blocks(v, count);
    };
  }
  const Slice own = gathers ? call.input(me) : call.output(me);
  const Slice held = mine.count == 1 ? own : out.scratch(call.blocks_size(mine.first, mine.count));
  return [&call, held, first = mine.first](Rank v, int count) {
    return Slices{among(held, call, first, v, count)};
  };
}

}  // namespace tutti::phase
