// The phases that several algorithms are made of.
#pragma once

#include <functional>

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"
#include "topology/merge_tree.hpp"
#include "topology/pair_fold.hpp"
#include "topology/postal_tree.hpp"

namespace tutti::phase {

// As the pieces of a message have to be.
bool in_one_buffer(const Slices& pieces);

// Where this rank keeps blocks v, v+1, ..., v+count-1.
using BlocksAt = std::function<Slices(Rank v, int count)>;

// As wide as the call's radix says; binomial where none is open.
inline PostalTree tree_of(const Call& call) { return {call.p, call.parameter}; }
// The same in each node, if they are filled one after the other from the root on, and a tree of
// nodes: where it is worth while, messages to others leave in as long as they travel. Binomial if
// every rank has a node of its own.
inline PostalTree tree_of_nodes(const Call& call) {
  constexpr int radix_of_nodes = 3;
  if (!call.placement) return {call.p, 2};
  return {call.p, call.parameter, call.placement->most_ranks(), radix_of_nodes};
}

// Of the blocks that lie together in `held`, `first` the first: v, v+1, ..., v+count-1.
inline Slice among(const Slice& held, const Call& call, Rank first, Rank v, int count) {
  return part(held, call.blocks_size(first, v - first), call.blocks_size(v, count));
}

// From virtual rank 0 down a tree, each rank gets the blocks of its subtree (Thakur2005, 4.2); up
// the tree, it collects them (4.5).
void blocks_down(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out);
// The same for a rank that has the place `mine` in the tree.
void blocks_down(const PostalTree& tree, const TreePlace& mine, Rank me, const BlocksAt& at,
                 ScheduleBuilder& out);
void blocks_up(const PostalTree& tree, Rank me, const BlocksAt& at, ScheduleBuilder& out);

// Whole collectives over a tree. Between the root's buffer and its leaves blocks are kept in
// scratch.
void scatter_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);
void gather_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);
void bcast_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);
// If the operator does not commute the tree ends at rank 0, which hands the result to the root.
void reduce_tree(const PostalTree& tree, const Call& call, Rank me, ScheduleBuilder& out);

// Each rank gets its block from virtual rank 0, one after the other. `at(v)` is where the block of
// v is at rank 0, and at(me) where it goes elsewhere.
void scatter_linear(const Call& call, Rank me, const std::function<Slice(Rank v)>& at,
                    ScheduleBuilder& out);

// Whole vectors up a tree (Thakur2005, 4.5); subtrees are consecutive, so operand order is kept.
// Rank 0's result is put into its `target`; those of other ranks may be.
Slice vectors_up(const PostalTree& tree, const Call& call, Rank me, const Slice& target,
                 ScheduleBuilder& out);

using Write = void (*)(const Call& call, Rank me, ScheduleBuilder& out);

// The message in parts, each by `write`, round by round in turn, with a message of each under way:
// while those travel, others are waited for or combined. Segments are divided between the parts.
// For collectives in which elements do not depend on each other.
void by_turns(const Call& call, Rank me, int parts, Write write, ScheduleBuilder& out);

// The same of a pipeline, in the cube root of its segments parts, six at most. The more, the less
// of its messages' latency is waited for; but each part has to be filled. Found by simulation:
// short segments are many, and need more messages under way.
void pipelines_by_turns(const Call& call, Rank me, Write write, ScheduleBuilder& out);

// The same in two parts of as many segments, the second a message's latency behind the first. Two
// that start together stay together where messages share a rank's connection: both wait for latency
// at a time, and then both share. Apart, one has the connection while the other waits, and its
// latency costs nothing. Both are in the same round of the graph then, so what shares a rank's
// connection also shares its peer's.
void pipelines_apart(const Call& call, Rank me, Write write, ScheduleBuilder& out);

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

// The result of a reduction that had to end at virtual rank 0, for the order's sake, goes to the
// root.
void pass_to_root(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out);

// The input's blocks for others, to be read until the end of the call: where they are, or, if
// results will overwrite them there, in a copy.
std::function<Slice(Rank v)> kept_input(const Call& call, Rank me, ScheduleBuilder& out);

// What a rank collects in an irregular gather whose sizes all ranks know, its own block included.
struct Collected {
  std::vector<Merge> merges;
  Rank first;
  int count;
};
Collected collected(const Call& call, Rank me);
// Where it has them: the root in its buffer, others in scratch, unless there is but their own.
BlocksAt collected_at(const Call& call, Rank me, const Collected& mine, ScheduleBuilder& out);

// A long message's first way to all: cut into p blocks, each rank gets those of its subtree of
// tree_of(call).
void scatter_message(const Call& call, Rank me, ScheduleBuilder& out);

// How many of the blocks v, v+1, ... rank v has before an allgather: nobody sends it those again.
using BlocksHeld = int (*)(const Call& call, Rank v);
inline int held_own(const Call&, Rank) { return 1; }
int held_after_scatter(const Call& call, Rank v);  // scatter_message

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

// The side of the operator on which what was received goes.
enum class Received : std::uint8_t { left, right };

// Receives a partial result from `peer` and combines it with `own`, leaving the result in `into`.
// The message lands in `into` if `own` is elsewhere, so nothing is copied, or else in scratch.
void combine_from(Round round, Rank peer, Received side, const Slices& own, const Slices& into,
                  ScheduleBuilder& out);

// The vector a rank accumulates over several rounds. Received operands land in memory that does not
// hold the value, and the combination takes their place: what is being sent is never overwritten,
// and the last combination ends in `target`.
class Running {
 public:
  // So many messages at a time may be on their way to this rank.
  Running(const Call& call, const Slice& value, const Slice& target, int combinations,
          ScheduleBuilder& out, int at_once = 1);

  const Slice& value() const { return value_; }
  // value = received op value, or value op received.
  void receive_left(Round& round, Rank peer);
  void receive_right(Round& round, Rank peer);
  void receive(Received side, Round& round, Rank peer) {
    side == Received::left ? receive_left(round, peer) : receive_right(round, peer);
  }
  // value = value op right, which is here already.
  void combine_right(const Slice& right);
  // Puts the value into the target, if it is not there.
  void settle();

 private:
  Slice landing();
  void combine(const Slice& left, const Slice& right, const Slice& into);

  const Call& call_;
  ScheduleBuilder& out_;
  Slice value_;
  Slice target_;
  std::vector<Slice> spares_;
  int left_to_come_;
};

// Where a reduce-scatter with folded ranks ends: a host has the result of the rank it stands for,
// beside its own, and hands it over in a last round.
class HostedResult {
 public:
  HostedResult(const Call& call, const PairFold& fold, Rank me, ScheduleBuilder& out);

  // The results of this rank and those it stands for, in rank order.
  Slices place() const;
  void hand_over(ScheduleBuilder& out) const;

 private:
  const Call& call_;
  const PairFold& fold_;
  Rank me_;
  Slice guest_{};
};

}  // namespace tutti::phase
