// Binomial tree gather (Thakur2005, 4.5).
//
// Each rank collects the blocks of its subtree, which are consecutive, and passes them on as one
// message, the nearest child first. The root receives straight into its output.
#include "topology/binomial.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::gather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const BinomialTree tree{call.p};
  const int mine = tree.subtree(me);
  const bool leaf = mine == 1;
  const Slice held =
      call.has_output(me) || leaf ? Slice{} : out.scratch(call.blocks_size(me, mine));
  const auto at = [&](Rank v, int count) {
    if (call.has_output(me)) return call.output_blocks(v, count);
    return Slices{part(held, call.blocks_size(me, v - me), call.blocks_size(v, count))};
  };
  if (!leaf || call.has_output(me)) out.copy(Slices{call.input(me)}, at(me, 1));
  for (int k = 0; k < ceil_lg(call.p); ++k) {
    Round round = out.round();
    const Rank far = me + (1 << k);
    if (tree.is_parent(me, k)) round.recv(at(far, tree.subtree(far)), far);
    if (tree.is_child(me, k))
      round.send(leaf ? Slices{call.input(me)} : at(me, mine), me - (1 << k));
  }
}

constexpr Algorithm binomial{
    .collective = Collective::gather,
    .name = "binomial",
    .summary = "subtrees collect their blocks up a binomial tree",
    .source = "Thakur2005 4.5",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + (p-1)/p*n*beta",
    .write = write,
};

}  // namespace tutti::catalog::gather
