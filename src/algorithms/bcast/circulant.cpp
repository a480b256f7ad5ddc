// n-block circulant broadcast (Traeff, arXiv 2407.18004; shared/ALGORITHMS.md, section 5).
//
// All ranks are alike: in every round each sends one segment and receives another, over distances
// that repeat every ceil(lg p) rounds. No broadcast of so many segments takes fewer rounds.
#include "algorithms/registry.hpp"
#include "topology/circulant_blocks.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::in_turn);  // a new sender in every round
  const CirculantBlocks blocks(call.p, me);
  const Layout segments(call.n(), call.parameter);
  const auto segment = [&](int i) {
    return Slice{Buffer::out, segments.offset(i), segments.size(i)};
  };
  for (int t = 0; t < blocks.rounds(call.parameter); ++t) {
    const CirculantBlocks::Exchange exchange = blocks.exchange(t, call.parameter);
    Round round = out.round();
    if (exchange.sent) round.send(segment(*exchange.sent), exchange.to);
    if (exchange.received) round.recv(segment(*exchange.received), exchange.from);
  }
}

constexpr Algorithm circulant{
    .collective = Collective::bcast,
    .name = "circulant",
    .summary = "segments over the circulant graph, in the fewest rounds",
    .source = "Traeff, arXiv 2407.18004",
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost = "(segments - 1 + ceil(lg(p)))*(alpha + ceil(n/segments)*beta)",
    .write = write,
    .parameter = {Open::segments, "sqrt((ceil(lg(p)) - 1)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
