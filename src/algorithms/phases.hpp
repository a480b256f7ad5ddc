// The phases that several algorithms are made of.
#pragma once

#include <functional>

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// Where this rank keeps blocks v, v+1, ..., v+count-1.
using BlocksAt = std::function<Slices(Rank v, int count)>;

// Binomial scatter from virtual rank 0: each rank gets the blocks of its subtree (Thakur2005, 4.2).
void scatter_binomial(const Call& call, Rank me, const BlocksAt& at, ScheduleBuilder& out);

// The input's blocks, to be read until the end of the call: where they are, or, if results will
// overwrite them there, in a copy.
std::function<Slice(Rank v)> kept_input(const Call& call, ScheduleBuilder& out);

// Ring allgather of the output's blocks: each travels once around (Thakur2005, 4.1).
void allgather_ring(const Call& call, Rank me, ScheduleBuilder& out);

// Circulant reduce-scatter (Traeff, arXiv 2410.14234): q = ceil(lg p) rounds, p-1 blocks sent,
// received and reduced, any p; the operator must commute. `partial(me + j, count)` is where the
// partial results of those blocks are kept; this rank's block, complete, is left in `result`.
void reduce_scatter_circulant(const Call& call, Rank me, const BlocksAt& partial,
                              const Slice& result, ScheduleBuilder& out);

// The same, with partial results in scratch and the block in the output.
void reduce_scatter_circulant_to_own(const Call& call, Rank me, ScheduleBuilder& out);

// Its mirror: each rank has its own block of the output, and gets all. p-1 blocks in q rounds.
void allgather_circulant(const Call& call, Rank me, ScheduleBuilder& out);

// Receives a partial result from `peer` and combines it with `own`, leaving the result in `into`:
// received op own. The message lands in `into` if `own` is elsewhere, so nothing is copied.
void combine_from(Round round, Rank peer, const Slices& own, const Slices& into,
                  ScheduleBuilder& out);

// The value a rank accumulates over several rounds. Received operands land in memory that does not
// hold the value, and the combination takes their place: what is being sent is never overwritten,
// and the last combination ends in `target`.
class Running {
 public:
  Running(const Slice& value, const Slice& target, int combinations, ScheduleBuilder& out);

  const Slice& value() const { return value_; }
  // value = received op value, or value op received.
  void receive_left(Round& round, Rank peer);
  void receive_right(Round& round, Rank peer);
  // Puts the value into the target, if it is not there.
  void settle();

 private:
  Slice landing();

  ScheduleBuilder& out_;
  Slice value_;
  Slice target_;
  Slice spare_[2];
  int left_to_come_;
};

}  // namespace tutti::phase
