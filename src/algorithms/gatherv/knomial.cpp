// Irregular gather: short blocks up a k-nomial tree, long ones straight to the root
// (algorithms/short_blocks.hpp).
#include "algorithms/registry.hpp"
#include "algorithms/short_blocks.hpp"

namespace tutti::catalog::gatherv {

namespace {

std::vector<Pair> asked_about(const Call& call, Rank me) {
  std::vector<Pair> pairs;
  for (const Rank v : below(call, me)) pairs.push_back({v, 0});
  return pairs;
}

void ask(const Call& call, Rank me, ScheduleBuilder& out) {
  const DigitTree tree{call.p, call.parameter};
  const int mine = tree.subtree(me);
  const Slice own = call.input(me);
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    Round round = out.round();
    const Rank child = me + step.distance(), parent = me - step.distance();
    if (me != 0 && tree.is_parent(me, step)) {
      round.recv(Slice{Buffer::out, child - me - 1, tree.subtree(child)}, child);
    }
    if (!tree.is_child(me, step) || parent == 0) continue;
    const Slice all = mine == 1 ? own : out.scratch(mine);
    out.copy({own, {Buffer::out, 0, mine - 1}}, {all});
    round.send(all, parent);
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const ShortBlocks blocks(call, me);
  const bool root = me == 0;
  const Slice own = call.input(me);
  const auto at = blocks.places([&](Rank v) { return call.output_block(v); }, own, out);
  if (root) out.copy(own, call.output_block(me));
  if (!root && !blocks.is_long(me)) out.copy({own}, at(me, 1));
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    Round round = out.round();
    const Rank child = me + step.distance(), parent = me - step.distance();
    if (blocks.tree().is_parent(me, step)) {
      round.recv(at(child, blocks.tree().subtree(child)), child);
    }
    if (blocks.tree().is_child(me, step)) round.send(at(me, blocks.count()), parent);
  }
  for (Rank v = 1; v < call.p; ++v) {
    Round round = out.round();
    if (root && blocks.is_long(v)) round.recv(call.output_block(v), v);
    if (me == v && blocks.is_long(v)) round.send(own, 0);
  }
}

}  // namespace

constexpr Algorithm knomial{
    .collective = Collective::gatherv,
    .name = "knomial",
    .summary = "short blocks up a k-nomial tree, long ones straight to the root",
    .source = "Thakur2005 4.5, 6; ALGORITHMS.md 11",
    .rounds = "digit_rounds(p, radix) + p - 1",
    .cost =
        "n/p > 2048 ? (p-1)*alpha_uni + (p-1)/p*n*beta_uni"
        " : digit_rounds(p, radix)*alpha_uni + (p-1)/p*n*beta_uni"
        " - digit_hidden(p, radix, n/p, alpha_uni, beta_uni, 1)",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, 0, alpha, beta, 1)"},
    .question = {asked_about, ask,
                 "digit_rounds(largest_subtree(p, radix), radix)*alpha + (largest_subtree(p, "
                 "radix) - 1)*8*beta"},
};

}  // namespace tutti::catalog::gatherv
