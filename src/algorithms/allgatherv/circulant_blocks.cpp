// n-block circulant allgatherv (Traeff, arXiv 2407.18004; shared/ALGORITHMS.md, section 5): p
// broadcasts at once, for blocks of very different sizes.
//
// Every rank's block is cut into segments and broadcast over the circulant graph. All broadcasts
// use the same distance in a round, so their segments travel in one message. Even if one rank owns
// all data nobody passes on more than a segment of it in a round.
#include "topology/circulant_blocks.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::allgatherv {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  out.pace(Pace::in_turn);  // a new sender in every round
  const auto all = all_circulant_blocks(call.p);
  const auto in_broadcast_of = [&](Rank root) -> const CirculantBlocks& {
    return (*all)[static_cast<std::size_t>(call.wrapped(me - root))];
  };
  const auto segment = [&](Rank root, int i) {
    const Slice block = call.output_block(root);
    const Layout segments(block.size, call.parameter);
    return part(block, segments.offset(i), segments.size(i));
  };
  for (int t = 0; t < in_broadcast_of(0).rounds(call.parameter); ++t) {
    Slices sent, received;
    for (Rank root = 0; root < call.p; ++root) {
      const auto exchange = in_broadcast_of(root).exchange(t, call.parameter);
      if (exchange.sent) sent.push_back(segment(root, *exchange.sent));
      if (exchange.received) received.push_back(segment(root, *exchange.received));
    }
    const auto own = in_broadcast_of(me).exchange(t, call.parameter);
    Round round = out.round();
    round.send(sent, me + own.to);
    round.recv(received, me + own.from);
  }
}

constexpr Algorithm circulant_blocks{
    .collective = Collective::allgatherv,
    .name = "circulant_blocks",
    .summary = "all blocks in segments over the circulant graph, whatever their sizes",
    .source = "Traeff, arXiv 2407.18004",
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost =
        "(segments - 1 + ceil(lg(p)))*alpha"
        " + min((p-1)*largest, (segments - 1 + ceil(lg(p)))/segments*n)*beta",
    .write = write,
    .parameter = {Open::segments, "(p-1)*largest > n ? sqrt((ceil(lg(p)) - 1)*n*beta/alpha) : 1"},
};

}  // namespace tutti::catalog::allgatherv
