// Blocks straight from rank to rank, or over doubling distances.
#pragma once

#include "algorithms/blocks.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// The input's blocks for others, to be read until the end of the call: where they are, or, if
// results will overwrite them there, in a copy.
std::function<Slice(Rank v)> kept_input(const Call& call, Rank me, ScheduleBuilder& out);

// Each rank gets its block from virtual rank 0, one after the other. `at(v)` is where the block of
// v is at rank 0, and at(me) where it goes elsewhere.
void scatter_linear(const Call& call, Rank me, const std::function<Slice(Rank v)>& at,
                    ScheduleBuilder& out);

// Recursive doubling allgather of the output's blocks, any p (Thakur2005, 4.1.1).
void allgather_recursive_doubling(const Call& call, Rank me, ScheduleBuilder& out,
                                  BlocksHeld held = held_own);

// Each rank's block of the output straight to every other, in p-1 rounds.
void allgather_pairwise(const Call& call, Rank me, ScheduleBuilder& out);

// Pairwise exchange (Thakur2005, 4.4): in p-1 rounds every rank gets the others' contributions to
// its own block one by one. `result` is this rank's block, complete, operand order kept. The
// messages of `window` rounds are under way together, if the pace allows it.
void reduce_scatter_pairwise(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out,
                             int window = 1);

}  // namespace tutti::phase
