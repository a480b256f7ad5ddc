// Irregular scatter: short blocks down a postal tree, long ones straight from the root
// (algorithms/short_blocks.hpp).
#include "algorithms/registry.hpp"
#include "algorithms/short_blocks.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::scatterv {

namespace {

std::vector<Pair> asked_about(const Call& call, Rank me) {
  const PostalTree tree = phase::tree_of(call);
  const int count = me == 0 ? 1 : me == tree.teller() ? call.p - 1 : tree.place(me).count;
  std::vector<Pair> pairs;
  for (int i = 1; i < count; ++i) pairs.push_back({0, me + i});
  return pairs;
}

// Sizes go down the tree. With a teller the root sends to nobody else, who then has its place.
void ask(const Call& call, Rank me, ScheduleBuilder& out) {
  const PostalTree tree = phase::tree_of(call);
  const Rank tells = tree.teller();
  const auto below_it = [&](Rank v, int count) {
    if (me == 0) return call.input_blocks(v + 1, count - 1);
    return Slices{{Buffer::out, v - me, count - 1}};
  };
  if (tells != 0) {
    Round round = out.round();
    if (me == 0) round.send(below_it(tells, call.p - 1), tells);
    if (me == tells) round.recv(below_it(tells, call.p - 1), 0);
    if (me == 0) return;
  }
  TreePlace mine = tree.place(me == tells ? 0 : me);
  if (mine.parent == 0) mine.parent = tells;
  phase::blocks_down(tree, mine, me, below_it, out);
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const ShortBlocks blocks(call, me);
  const bool root = me == 0;
  const Slice own = call.output(me);
  const auto at = blocks.places([&](Rank v) { return call.input_block(v); }, own, out);
  phase::blocks_down(phase::tree_of(call), me, at, out);
  out.pace(Pace::all_at_once);  // nobody waits for the first of them more than for the last
  for (Rank v = 1; v < call.p; ++v) {
    Round round = out.round();
    if (root && blocks.goes_straight(v)) round.send(call.input_block(v), v);
    if (me == v && blocks.goes_straight(v)) round.recv(own, 0);
  }
  if (root) out.copy(call.input_block(me), own);
  if (!root && !blocks.goes_straight(me)) out.copy(at(me, 1), {own});
}

}  // namespace

constexpr Algorithm postal{
    .collective = Collective::scatterv,
    .name = "postal",
    .summary = "short blocks down a tree as wide as they overlap, long ones straight from the root",
    .source = "Bar-Noy1994; Thakur2005 6",
    .rounds = "postal_rounds(p, radix) + p - 1",
    .cost =
        "n/p > short_block ? (p-1)*alpha_uni + (p-1)/p*n*beta_uni"
        " : postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(0, alpha_uni, beta_uni)"},
    .question = {asked_about, ask, "postal_sizes_down(p, radix, alpha, beta)"},
};

}  // namespace tutti::catalog::scatterv
