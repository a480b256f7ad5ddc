// Irregular scatter: short blocks down a binomial tree, long ones straight from the root
// (algorithms/short_blocks.hpp).
#include "topology/binomial.hpp"

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
  const BinomialTree tree{call.p};
  const auto sizes = [&](Rank v, int count) {
    return me == 0 ? call.input_blocks(v, count) : Slices{{Buffer::out, v - me - 1, count}};
  };
  for (int k = ceil_lg(call.p) - 1; k >= 0; --k) {
    Round round = out.round();
    const Rank child = me + (1 << k), parent = me - (1 << k);
    if (tree.is_child(me, k)) round.recv(sizes(me + 1, tree.subtree(me) - 1), parent);
    if (tree.is_parent(me, k)) round.send(sizes(child + 1, tree.subtree(child) - 1), child);
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const ShortBlocks blocks(call, me);
  const bool root = me == 0;
  const Slice own = call.output(me);
  const Slice held = root || blocks.is_leaf() ? own : out.scratch(blocks.total());
  const auto at = [&](Rank v, int count) {
    if (!root) return Slices{blocks.in(held, v, count)};
    return blocks.at([&](Rank r) { return call.input_block(r); }, v, count);
  };
  for (int k = ceil_lg(call.p) - 1; k >= 0; --k) {
    Round round = out.round();
    const Rank child = me + (1 << k), parent = me - (1 << k);
    if (blocks.tree().is_child(me, k)) round.recv(at(me, blocks.count()), parent);
    if (blocks.tree().is_parent(me, k)) {
      round.send(at(child, blocks.tree().subtree(child)), child);
    }
  }
  for (Rank v = 1; v < call.p; ++v) {
    Round round = out.round();
    if (root && blocks.is_long(v)) round.send(call.input_block(v), v);
    if (me == v && blocks.is_long(v)) round.recv(own, 0);
  }
  if (root) out.copy(call.input_block(me), own);
  if (!root && !blocks.is_long(me)) out.copy(at(me, 1), {own});
}

}  // namespace

constexpr Algorithm binomial{
    .collective = Collective::scatterv,
    .name = "binomial",
    .summary = "short blocks down a binomial tree, long ones straight from the root",
    .source = "Thakur2005 4.5, 6; ALGORITHMS.md 11",
    .rounds = "ceil(lg(p)) + p - 1",
    .cost = "(n/p > 8192 ? p-1 : ceil(lg(p)))*alpha_uni + (p-1)/p*n*beta_uni",
    .write = write,
    .question = {asked_about, ask, "max(ceil(lg(p)) - 1, 0)*alpha"},
};

}  // namespace tutti::catalog::scatterv
