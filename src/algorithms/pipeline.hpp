// Messages in segments that follow each other through trees: what one rank does in each round.
//
// A tree's root hangs from virtual rank 0, which stands outside; a chain is a tree too. A hop is
// the edge to a neighbour; its first segment passes in a known round and the others every `period`
// rounds, so that no rank ever sends, or receives, twice in a round.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/call.hpp"
#include "algorithms/running.hpp"
#include "schedule/builder.hpp"
#include "topology/two_tree.hpp"

namespace tutti::pipeline {

struct Hop {
  Rank peer = 0;
  int first = 0;  // the round in which the first segment passes
  // Of a child: on which side of this rank its subtree lies.
  phase::Received side = phase::Received::right;
};

// A rank's part in one tree, which carries segments base, base+stride, ..., `count` of them.
struct Stream {
  std::optional<Hop> parent{};
  std::vector<Hop> children{};
  int period = 1;
  int base = 0;
  int stride = 1;
  int count = 0;
  // Prefix sums: whether anyone behind wants the sum of this rank's subtree, and whether a prefix
  // of those before it comes down.
  bool passes_up = false;
  bool has_prefix = false;

  int segment(int k) const { return base + k * stride; }
  // The number, within the stream, of the segment that passes in a round.
  std::optional<int> passing(const Hop& hop, int round) const;
};

// What a rank does, all trees together.
struct Pipeline {
  std::vector<Stream> streams;
  int rounds = 0;           // from the root to all, or from all to the root
  Layout segments;          // of the message
  bool sums_go_up = false;  // prefix sums: before prefixes go down

  // The same hops the other way: what was last is first.
  Pipeline backwards() const;
  Slice segment_of(const Slice& message, int number) const {
    return part(message, segments.offset(number), segments.size(number));
  }
};

// Rank v sends to v+1: p-2 rounds to fill it, one more for each segment.
Pipeline chain(const Call& call, Rank me);
// Trees of fewer than four ranks are chains.
//
// An in-order binary tree; two rounds for each segment, as a rank has two children to serve.
Pipeline binary_tree(const Call& call, Rank me);
// Two trees that take segments by turns (topology/two_tree.hpp): one round for each.
Pipeline two_tree(const Call& call, Rank me, Order order);

// The same for prefix sums: all ranks are in the trees, in rank order, and nobody is outside.
Pipeline ordered_chain(const Call& call, Rank me);
Pipeline ordered_binary_tree(const Call& call, Rank me);
Pipeline ordered_two_tree(const Call& call, Rank me);

// Segments of which a rank keeps operands: one that is sent, one that is combined, one that comes.
inline constexpr int kept = 3;

// From virtual rank 0's `message` to everybody's. If streams are strands, a segment is sent on as
// soon as it is there: what holds up one tree does not hold up the other. They are then to be all
// that the schedule does.
enum class Streams : std::uint8_t { in_turn, strands };
void bcast(const Pipeline& pipeline, const Slice& message, ScheduleBuilder& out,
           Streams streams = Streams::in_turn);

// Everybody's `own` to virtual rank 0, into `result`; the pipeline runs backwards. Operands are
// combined in the order of the trees.
void reduce(const Pipeline& pipeline, const Slice& own, const Slice& result, ScheduleBuilder& out);
// The same as a collective of its own.
void reduce_to_root(const Pipeline& pipeline, const Call& call, Rank me, ScheduleBuilder& out);

// A scan or an exclusive scan, as the call says: prefix sums of the calls' inputs. Sums of subtrees
// go up (in a chain nobody wants them), then prefixes go down.
void prefix_sums(const Pipeline& pipeline, const Call& call, Rank me, ScheduleBuilder& out);

}  // namespace tutti::pipeline
