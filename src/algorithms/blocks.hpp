// Where a rank keeps the blocks of a call.
#pragma once

#include <algorithm>
#include <functional>

#include "algorithms/call.hpp"

namespace tutti::phase {

// As the pieces of a message have to be; empty ones are left out.
inline bool in_one_buffer(const Slices& pieces) {
  const auto differ = [](const Slice& a, const Slice& b) { return a.buffer != b.buffer; };
  Slices filled = pieces;
  std::erase_if(filled, [](const Slice& piece) { return piece.size == 0; });
  return std::ranges::adjacent_find(filled, differ) == filled.end();
}

// Where this rank keeps blocks v, v+1, ..., v+count-1.
using BlocksAt = std::function<Slices(Rank v, int count)>;

// Of the blocks that lie together in `held`, `first` the first: v, v+1, ..., v+count-1.
inline Slice among(const Slice& held, const Call& call, Rank first, Rank v, int count) {
  return part(held, call.blocks_size(first, v - first), call.blocks_size(v, count));
}

// How many of the blocks v, v+1, ... rank v has before an allgather: nobody sends it those again.
using BlocksHeld = int (*)(const Call& call, Rank v);
inline int held_own(const Call&, Rank) { return 1; }

}  // namespace tutti::phase
