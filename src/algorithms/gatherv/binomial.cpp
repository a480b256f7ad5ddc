// Irregular gather: short blocks up a binomial tree, long ones straight to the root
// (algorithms/short_blocks.hpp).
#include "topology/binomial.hpp"

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
  const BinomialTree tree{call.p};
  const int mine = tree.subtree(me);
  const Slice own = call.input(me);
  for (int k = 0; me != 0 && k < ceil_lg(call.p); ++k) {
    Round round = out.round();
    const Rank child = me + (1 << k), parent = me - (1 << k);
    if (tree.is_parent(me, k)) {
      round.recv(Slice{Buffer::out, child - me - 1, tree.subtree(child)}, child);
    }
    if (!tree.is_child(me, k) || parent == 0) continue;
    const Slice all = mine == 1 ? own : out.scratch(mine);
    out.copy({own, {Buffer::out, 0, mine - 1}}, {all});
    round.send(all, parent);
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const ShortBlocks blocks(call, me);
  const bool root = me == 0;
  const Slice own = call.input(me);
  const Slice held = root || blocks.is_leaf() ? own : out.scratch(blocks.total());
  const auto at = [&](Rank v, int count) {
    if (!root) return Slices{blocks.in(held, v, count)};
    return blocks.at([&](Rank r) { return call.output_block(r); }, v, count);
  };
  if (root) out.copy(own, call.output_block(me));
  if (!root && !blocks.is_long(me)) out.copy({own}, at(me, 1));
  for (int k = 0; k < ceil_lg(call.p); ++k) {
    Round round = out.round();
    const Rank child = me + (1 << k), parent = me - (1 << k);
    if (blocks.tree().is_parent(me, k)) {
      round.recv(at(child, blocks.tree().subtree(child)), child);
    }
    if (blocks.tree().is_child(me, k)) round.send(at(me, blocks.count()), parent);
  }
  for (Rank v = 1; v < call.p; ++v) {
    Round round = out.round();
    if (root && blocks.is_long(v)) round.recv(call.output_block(v), v);
    if (me == v && blocks.is_long(v)) round.send(own, 0);
  }
}

}  // namespace

constexpr Algorithm binomial{
    .collective = Collective::gatherv,
    .name = "binomial",
    .summary = "short blocks up a binomial tree, long ones straight to the root",
    .source = "Thakur2005 4.5, 6; ALGORITHMS.md 11",
    .rounds = "ceil(lg(p)) + p - 1",
    .cost = "(n/p > 8192 ? p-1 : ceil(lg(p)))*alpha_uni + (p-1)/p*n*beta_uni",
    .write = write,
    .question = {asked_about, ask,
                 "ceil(lg(max(2^(ceil(lg(p)) - 2), p - 2^(ceil(lg(p)) - 1))))*alpha +"
                 "(max(2^(ceil(lg(p)) - 2), p - 2^(ceil(lg(p)) - 1)) - 1)*8*beta"},
};

}  // namespace tutti::catalog::gatherv
