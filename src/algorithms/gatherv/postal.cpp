// Irregular gather: short blocks up a postal tree, long ones straight to the root
// (algorithms/short_blocks.hpp).
#include "algorithms/registry.hpp"
#include "algorithms/short_blocks.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::gatherv {

namespace {

std::vector<Pair> asked_about(const Call& call, Rank me) {
  const int count = me == 0 ? 1 : phase::tree_of(call).place(me).count;
  std::vector<Pair> pairs;
  for (int i = 1; i < count; ++i) pairs.push_back({me + i, 0});
  return pairs;
}

void ask(const Call& call, Rank me, ScheduleBuilder& out) {
  const PostalTree tree = phase::tree_of(call);
  const TreePlace mine = tree.place(me);
  const Slice own = call.input(me);
  const Slice all = mine.is_leaf() || me == 0 ? own : out.scratch(mine.count);
  for (int k = tree.rounds() - 1; k >= 0; --k) {
    Round round = out.round();
    if (me == 0) continue;  // it knows them
    if (const auto* child = mine.child_in(k)) {
      round.recv(Slice{Buffer::out, child->rank - me - 1, child->count}, child->rank);
    }
    if (k != mine.round || mine.parent == 0) continue;
    if (!mine.is_leaf()) out.copy({own, {Buffer::out, 0, mine.count - 1}}, {all});
    round.send(all, mine.parent);
  }
}

// Long blocks go straight: a rank knows how long its own is.
void lead(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::all_at_once);  // short blocks do not wait for them
  for (Rank v = 1; v < call.p; ++v) {
    Round round = out.round();
    const Slice block = me == 0 ? call.output_block(v) : call.input(me);
    if (!ShortBlocks::is_long(block.size)) continue;
    if (me == 0) round.recv(block, v);
    if (me == v) round.send(block, 0);
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const ShortBlocks blocks(call, me);
  const bool root = me == 0;
  const Slice own = call.input(me);
  const auto at = blocks.places([&](Rank v) { return call.output_block(v); }, own, out);
  if (root) out.copy(own, call.output_block(me));
  if (!root && !blocks.goes_straight(me)) out.copy({own}, at(me, 1));
  phase::blocks_up(phase::tree_of(call), me, at, out);
}

}  // namespace

constexpr Algorithm postal{
    .collective = Collective::gatherv,
    .name = "postal",
    .summary = "short blocks up a tree as wide as they overlap, long ones straight to the root",
    .source = "Bar-Noy1994; Thakur2005 6",
    .rounds = "postal_rounds(p, radix) + p - 1",
    .cost =
        "n/p > short_block ? (p-1)*alpha_uni + (p-1)/p*n*beta_uni"
        " : postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(0, alpha_uni, beta_uni)"},
    .question = {asked_about, ask, "postal_sizes_up(p, radix, alpha, beta)", lead},
};

}  // namespace tutti::catalog::gatherv
