// Irregular scatter: short blocks down a postal tree, long ones straight from the root
// (algorithms/short_blocks.hpp).
#include "algorithms/phases.hpp"
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
  const auto sizes = [&](Rank v, int count) {
    return me == 0 ? call.input_blocks(v, count) : Slices{{Buffer::out, v - me - 1, count}};
  };
  const auto below_it = [&](Rank v, int count) { return sizes(v + 1, count - 1); };
  phase::blocks_down(phase::tree_of(call), me, below_it, out);
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
    if (root && blocks.is_long(v)) round.send(call.input_block(v), v);
    if (me == v && blocks.is_long(v)) round.recv(own, 0);
  }
  if (root) out.copy(call.input_block(me), own);
  if (!root && !blocks.is_long(me)) out.copy(at(me, 1), {own});
}

}  // namespace

constexpr Algorithm postal{
    .collective = Collective::scatterv,
    .name = "postal",
    .summary = "short blocks down a tree as wide as they overlap, long ones straight from the root",
    .source = "Bar-Noy1994; Thakur2005 6",
    .rounds = "postal_rounds(p, radix) + p - 1",
    .cost =
        "n/p > 2048 ? (p-1)*alpha_uni + (p-1)/p*n*beta_uni"
        " : postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(0, alpha_uni, beta_uni)"},
    .question = {asked_about, ask, "postal_sizes_down(p, radix, alpha, beta)"},
};

}  // namespace tutti::catalog::scatterv
