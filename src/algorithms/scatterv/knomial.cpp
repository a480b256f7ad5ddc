// Irregular scatter: short blocks down a k-nomial tree, long ones straight from the root
// (algorithms/short_blocks.hpp).
#include <ranges>

#include "algorithms/registry.hpp"
#include "algorithms/short_blocks.hpp"

namespace tutti::catalog::scatterv {

namespace {

std::vector<Pair> asked_about(const Call& call, Rank me) {
  std::vector<Pair> pairs;
  for (const Rank v : below(call, me)) pairs.push_back({0, v});
  return pairs;
}

void ask(const Call& call, Rank me, ScheduleBuilder& out) {
  const DigitTree tree{call.p, call.parameter};
  const auto sizes = [&](Rank v, int count) {
    return me == 0 ? call.input_blocks(v, count) : Slices{{Buffer::out, v - me - 1, count}};
  };
  for (const DigitStep& step : std::views::reverse(digit_steps(call.p, call.parameter))) {
    Round round = out.round();
    const Rank child = me + step.distance(), parent = me - step.distance();
    if (tree.is_child(me, step)) round.recv(sizes(me + 1, tree.subtree(me) - 1), parent);
    if (tree.is_parent(me, step)) round.send(sizes(child + 1, tree.subtree(child) - 1), child);
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const ShortBlocks blocks(call, me);
  const bool root = me == 0;
  const Slice own = call.output(me);
  const auto at = blocks.places([&](Rank v) { return call.input_block(v); }, own, out);
  for (const DigitStep& step : std::views::reverse(digit_steps(call.p, call.parameter))) {
    Round round = out.round();
    const Rank child = me + step.distance(), parent = me - step.distance();
    if (blocks.tree().is_child(me, step)) round.recv(at(me, blocks.count()), parent);
    if (blocks.tree().is_parent(me, step)) {
      round.send(at(child, blocks.tree().subtree(child)), child);
    }
  }
  out.pace(Pace::all_at_once);  // nobody waits for the first of them more than for the last
  for (Rank v = 1; v < call.p; ++v) {
    Round round = out.round();
    if (root && blocks.is_long(v)) round.send(call.input_block(v), v);
    if (me == v && blocks.is_long(v)) round.recv(own, 0);
  }
  if (root) out.copy(call.input_block(me), own);
  if (!root && !blocks.is_long(me)) out.copy(at(me, 1), {own});
}

}  // namespace

constexpr Algorithm knomial{
    .collective = Collective::scatterv,
    .name = "knomial",
    .summary = "short blocks down a k-nomial tree, long ones straight from the root",
    .source = "Thakur2005 4.5, 6; ALGORITHMS.md 11",
    .rounds = "digit_rounds(p, radix) + p - 1",
    .cost =
        "n/p > 2048 ? (p-1)*alpha_uni + (p-1)/p*n*beta_uni"
        " : digit_rounds(p, radix)*alpha_uni + (p-1)/p*n*beta_uni"
        " - digit_hidden(p, radix, n/p, alpha_uni, beta_uni, 1)",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, 0, alpha, beta, 1)"},
    .question = {asked_about, ask,
                 "(digit_rounds(p, radix) - min(radix - 1, p - 1))*alpha + (p-1)*8*beta"},
};

}  // namespace tutti::catalog::scatterv
