#include "algorithms/ring.hpp"

#include <algorithm>

#include "algorithms/running.hpp"

namespace tutti::phase {

namespace {

// A segment of a block.
struct Segment {
  Rank block;
  Units offset, size;

  Slice of(const Slice& whole) const { return part(whole, offset, size); }
};

}  // namespace

// Of the largest block, cut into as many as the call says.
static Units longest_segment(const Call& call) {
  const Units segments = std::max(call.parameter, 1);
  return std::max<Units>((call.layout.largest() + segments - 1) / segments, 1);
}

// Of the p-1 blocks `last`, last - 1, ... in the order in which they go by. An empty block has one,
// which is empty: nobody passes on what has not arrived in an earlier round.
static std::vector<Segment> segments_going_by(const Call& call, Rank last) {
  const Units longest = longest_segment(call);
  std::vector<Segment> result;
  for (int k = 0; k < call.p - 1; ++k) {
    const Rank block = call.wrapped(last - k);
    const Units size = call.block_size(block);
    Units offset = 0;
    do {
      result.push_back({block, offset, std::min(longest, size - offset)});
      offset += longest;
    } while (offset < size);
  }
  return result;
}

void allgather_ring(const Call& call, Rank me, ScheduleBuilder& out, BlocksHeld held) {
  const Rank next = call.wrapped(me + 1);
  const auto lacks = [&](Rank rank, Rank block) {
    return held(call, rank) <= call.wrapped(block - rank);
  };
  const auto sent = segments_going_by(call, me);
  const auto received = segments_going_by(call, call.wrapped(me - 1));
  for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
    Round round = out.round();
    if (i < sent.size() && lacks(next, sent[i].block)) {
      round.send(sent[i].of(call.output_block(sent[i].block)), next);
    }
    if (i < received.size() && lacks(me, received[i].block)) {
      round.recv(received[i].of(call.output_block(received[i].block)), me - 1);
    }
  }
}

void reduce_scatter_ring(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out) {
  if (call.p == 1) return out.copy(call.input_block(me), result);
  const Rank before = call.wrapped(me - 1);
  const auto sent = segments_going_by(call, before);
  const auto received = segments_going_by(call, call.wrapped(me - 2));
  const auto is_own = [&](const Segment& each) { return each.block == before; };
  const auto own = static_cast<std::size_t>(std::ranges::count_if(sent, is_own));
  // What arrives is sent on `own` rounds later; two more arrive meanwhile.
  const Units longest = longest_segment(call);
  const std::size_t places = std::min(own + 2, received.size());
  const Slice partial = out.scratch(longest * static_cast<Units>(places));
  const auto place = [&](std::size_t i) {
    return part(partial, longest * static_cast<Units>(i % places), received[i].size);
  };
  for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
    Round round = out.round();
    if (i < sent.size()) {
      const Slice mine = sent[i].of(call.input_block(sent[i].block));
      round.send(i < own ? mine : place(i - own), me + 1);
    }
    if (i < received.size()) {
      const Segment& segment = received[i];
      const Slice into = segment.block == me ? segment.of(result) : place(i);
      combine_from(round, me - 1, Received::left, {segment.of(call.input_block(segment.block))},
                   {into}, out);
    }
  }
}

}  // namespace tutti::phase
