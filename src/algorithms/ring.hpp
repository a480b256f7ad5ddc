// Blocks that go around a ring of ranks, each rank passing on what it got from the one before.
//
// Long blocks go in segments, as many as the call's parameter says for the largest: where blocks
// differ, a rank then passes on the first segments of a long one while the others arrive.
#pragma once

#include "algorithms/blocks.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// Allgather of the output's blocks (Thakur2005, 4.1): each travels once around. What a rank holds
// nobody sends it.
void allgather_ring(const Call& call, Rank me, ScheduleBuilder& out, BlocksHeld held = held_own);

// Its mirror: a block's partial result travels once around and ends at its owner, in `result`. The
// operator must commute.
void reduce_scatter_ring(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out);

}  // namespace tutti::phase
