// Swing allreduce (De Sensi et al., NSDI 2024): halving and doubling among near ranks.
//
// Ranks exchange halves of what they hold, halves of that, and so on, with peers to the left and to
// the right by turns, then collect the results over the same distances backwards. A block is given
// to the peer if only the peer can still pass it on to the rank where it is to end.
#include "topology/swing.hpp"

#include "algorithms/registry.hpp"
#include "algorithms/running.hpp"

namespace tutti::catalog::allreduce {

static Slices blocks_of(const Call& call, const std::vector<Rank>& ranks, bool reduced) {
  Slices blocks;
  for (const Rank v : ranks) {
    blocks.push_back(reduced ? call.output_block(v) : call.input_block(v));
  }
  return blocks;
}

static bool is_power_of_two(const Call& call) {
  return std::has_single_bit(static_cast<unsigned>(call.p));
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  if (call.p == 1) return out.copy(call.input(me), call.output(me));
  const Swing swing{call.p};
  for (int s = 0; s < swing.steps(); ++s) {
    const Rank peer = swing.peer(me, s);
    const std::vector<Rank> given = swing.reachable(peer, s + 1);
    const std::vector<Rank> kept = swing.reachable(me, s + 1);
    Round round = out.round();
    round.send(blocks_of(call, given, s > 0), peer);
    phase::combine_from(round, peer, phase::Received::left, blocks_of(call, kept, s > 0),
                        blocks_of(call, kept, true), out);
  }
  for (int s = swing.steps() - 1; s >= 0; --s) {
    const Rank peer = swing.peer(me, s);
    Round round = out.round();
    round.send(blocks_of(call, swing.reachable(me, s + 1), true), peer);
    round.recv(blocks_of(call, swing.reachable(peer, s + 1), true), peer);
  }
}

constexpr Algorithm swing{
    .collective = Collective::allreduce,
    .name = "swing",
    .summary = "halves and doubles with peers to the left and right by turns",
    .source = "De Sensi et al., NSDI 2024",
    .requires_ = {.commutative = true,
                  .divisible = true,
                  .also = {is_power_of_two, "p a power of two"}},
    .rounds = "2*lg(p)",
    .cost = "2*lg(p)*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma",
    .write = write,
};

}  // namespace tutti::catalog::allreduce
