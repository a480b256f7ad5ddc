// Balanced reduce-scatter for blocks of unequal sizes: equal shares, which then go to their owners.
//
// Where one rank's block is most of the message, algorithms that reduce block by block send it
// ceil(lg p) times as a whole. Here the circulant reduce-scatter (Traeff, arXiv 2410.14234) divides
// the message alike among ranks, whatever blocks it has, and each rank hands over what it has of
// other ranks' blocks. With equal blocks there is nothing to hand over.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

namespace {

// Units that rank `from` has and rank `to` is due.
struct Piece {
  Rank from;
  Rank to;
  Units first;
  Units size;
};

std::vector<Piece> pieces_of(const Layout& shares, const Layout& blocks, int p) {
  std::vector<Piece> pieces;
  Rank to = 0;
  for (Rank from = 0; from < p; ++from) {
    const Units begin = shares.offset(from), end = shares.offset(from + 1);
    while (to < p && blocks.offset(to + 1) <= begin) ++to;
    for (Rank r = to; r < p && blocks.offset(r) < end; ++r) {
      const Units first = std::max(begin, blocks.offset(r));
      const Units size = std::min(end, blocks.offset(r + 1)) - first;
      if (size > 0) pieces.push_back({from, r, first, size});
    }
  }
  return pieces;
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  Call equal = call;
  equal.layout = Layout(call.n(), call.p);
  const Units share = equal.layout.offset(me), block = call.layout.offset(me);
  const Slice own = call.output(me);
  const bool all_mine = share >= block && share + equal.block_size(me) <= block + own.size;
  const Slice reduced =
      all_mine ? part(own, share - block, equal.block_size(me)) : out.scratch(equal.block_size(me));
  phase::reduce_scatter_circulant_to(equal, me, reduced, out);
  for (const Piece& piece : pieces_of(equal.layout, call.layout, call.p)) {
    const Slice here = part(reduced, piece.first - share, piece.size);
    const Slice due = part(own, piece.first - block, piece.size);
    if (piece.from == piece.to) {
      if (me == piece.to) out.copy(here, due);
      continue;
    }
    Round round = out.round();
    if (me == piece.from) round.send(here, piece.to);
    if (me == piece.to) round.recv(due, piece.from);
  }
}

}  // namespace

constexpr Algorithm shares{
    .collective = Collective::reduce_scatter,
    .name = "shares",
    .summary = "equal shares, whatever the blocks, then each to its owner",
    .source = "Thakur2005 4.4 (irregular); Traeff, arXiv 2410.14234",
    .requires_ = {.commutative = true, .divisible = true},
    .rounds = "ceil(lg(p))",
    // Blocks that differ by less than a thousandth count as equal.
    .cost =
        "ceil(lg(p))*alpha + (p-1)/p*n*(beta + gamma)"
        " + (largest > 1.001*n/p ? ceil(p*largest/n)*alpha + largest*beta : 0)",
    .write = write,
};

}  // namespace tutti::catalog::reduce_scatter
