// Rounds for the digits of distances (topology/digits.hpp), in the radix that is the call's
// parameter.
#pragma once

#include <functional>

#include "algorithms/blocks.hpp"
#include "schedule/builder.hpp"
#include "topology/digits.hpp"

namespace tutti::phase {

// Radix-r Bruck all-to-all (Fan et al. 2022; topology/digits.hpp): a block makes a hop for every
// digit of the distance it has to travel that is not zero. The one for rank me+d begins at
// `first(d)`; where another's, from rank `from` to rank from+d, comes by, it has the place
// `kept(d, from)`, and so has the one from rank me-d at the end. What leaves a place that is needed
// at once is packed, to be sent in one piece.
using BlockAt = std::function<Slice(int d)>;
using KeptAt = std::function<Slice(int d, Rank from)>;
void digit_hops(const Call& call, Rank me, const BlockAt& first, const KeptAt& kept,
                ScheduleBuilder& out);

// Digit elimination reduce-scatter, radix r (shared/ALGORITHMS.md, section 3): the partial result
// for rank me+d makes a hop for every digit of d that is not zero, lowest weight first, and is
// combined with one that stays. This rank's block, complete, is left in `result`; the operator must
// commute.
void reduce_scatter_digits(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out);

// Digit elimination allgather, radix r (shared/ALGORITHMS.md, section 3): a rank lacks the block d
// ranks on until the round of d's lowest digit that is not zero; the highest weights come first.
// `at(v)` is the place of rank v's block; those that a rank holds are there already.
void allgather_digits(const Call& call, Rank me, const std::function<Slice(Rank v)>& at,
                      ScheduleBuilder& out, BlocksHeld held = held_own);

// Rounds for digits by turns, those of one weight together, lowest weight first: all that a turn
// sends goes before what it receives is combined, so that its messages overlap.
using InRound = std::function<void(Round& round, const DigitStep& step)>;
void digit_turns(const Call& call, const InRound& send, const InRound& receive,
                 ScheduleBuilder& out);

}  // namespace tutti::phase
