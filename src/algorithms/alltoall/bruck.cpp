// Bruck's index algorithm for all-to-all (Thakur2005, 4.3 and figure 7).
//
// Blocks are rotated so that slot i holds the one for rank me+i. In round k all slots whose bit k
// is set travel 2^k ranks on; after ceil(lg p) rounds slot i holds the block from rank me-i, and
// the rotation is undone. Few rounds for up to lg p / 2 times the bytes: for very short messages.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice kept = out.scratch(call.n());
  const Slice received = out.scratch(call.n());
  const Units size = call.block_size(0);
  out.copy(call.input_block(me), call.output_block(me));
  out.copy(call.input_blocks(me + 1, call.p - 1), Slices{part(kept, size, call.n() - size)});
  const auto slot = [&](const Slice& work, int i) { return part(work, i * size, size); };
  std::vector<Slice> at;
  at.reserve(static_cast<std::size_t>(call.p));
  for (int i = 0; i < call.p; ++i) at.push_back(slot(kept, i));
  // A block lands where no block lies that is under way.
  for (int bit = 1; bit < call.p; bit *= 2) {
    Slices leaving, arriving;
    for (int i = bit; i < call.p; ++i) {
      if ((i & bit) == 0) continue;
      Slice& where = at[static_cast<std::size_t>(i)];
      leaving.push_back(where);
      where = slot(where == slot(kept, i) ? received : kept, i);
      arriving.push_back(where);
    }
    Round round = out.round();
    round.send(leaving, me + bit);
    round.recv(arriving, me - bit);
  }
  for (int i = 1; i < call.p; ++i) {
    out.copy(at[static_cast<std::size_t>(i)], call.output_block(me - i));
  }
}

constexpr Algorithm bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .summary = "blocks hop over doubling distances, between two rotations",
    .source = "Thakur2005 4.3",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + ones(p)/p*n*beta",
    .write = write,
    .published = "ceil(lg(p))*alpha + (n/2*lg(p) + n/p*(p - 2^floor(lg(p))))*beta",
    .difference =
        "for powers of two; otherwise it counts n/2 for each of lg(p) rounds, which carry less",
};

}  // namespace tutti::catalog::alltoall
