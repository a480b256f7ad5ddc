// Collectives over the circulant graph (topology/circulant.hpp, circulant_blocks.hpp).
#pragma once

#include "algorithms/blocks.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// The n-block circulant broadcast (Traeff, arXiv 2407.18004; shared/ALGORITHMS.md, section 5). All
// ranks are alike: in every round each sends one segment and receives another, over distances that
// repeat every ceil(lg p) rounds. No broadcast of so many segments takes fewer rounds. The
// messages of so many rounds, one from each neighbour, may be under way together: about half of
// what a rank receives it never sends on, and where that is late nobody waits.
void bcast_circulant(const Call& call, Rank me, ScheduleBuilder& out);
// The same. While the pipeline fills, ranks that have no segment to send yet send a blank one, so
// that all are as busy: 2 ceil(lg p) segments at most, on connections that are idle.
void bcast_circulant_all_busy(const Call& call, Rank me, ScheduleBuilder& out);

// The n-block circulant broadcast backwards (Traeff, arXiv 2407.18004), of the calls' inputs to
// virtual rank 0; the operator must commute. Where the broadcast sends a segment on, the reduction
// receives a partial sum of it, and what is received only once is sent only once.
void reduce_circulant(const Call& call, Rank me, ScheduleBuilder& out);

// Circulant reduce-scatter (Traeff, arXiv 2410.14234): q = ceil(lg p) rounds, p-1 blocks sent,
// received and reduced, any p; the operator must commute. `partial(me + j, count)` is where the
// partial results of those blocks are kept; this rank's block, complete, is left in `result`.
void reduce_scatter_circulant(const Call& call, Rank me, const BlocksAt& partial,
                              const Slice& result, ScheduleBuilder& out);

// The same, with partial results in scratch.
void reduce_scatter_circulant_to(const Call& call, Rank me, const Slice& result,
                                 ScheduleBuilder& out);

// Its mirror: each rank has its own block of the output, and gets all. p-1 blocks in q rounds.
void allgather_circulant(const Call& call, Rank me, ScheduleBuilder& out);

// One after the other: the sum of the calls' inputs to all, in 2q rounds.
void allreduce_circulant(const Call& call, Rank me, ScheduleBuilder& out);

}  // namespace tutti::phase
