// Binomial tree scatter (Thakur2005, 4.2).
//
// The root sends each child the blocks of its whole subtree, the largest first; they are passed on
// in the same way. The root sends straight from its input.
#include "topology/binomial.hpp"

#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const BinomialTree tree{call.p};
  const int mine = tree.subtree(me);
  const bool root = me == call.virtual_root();
  const bool leaf = mine == 1;
  const Slice held = root || leaf ? Slice{} : out.scratch(call.blocks_size(me, mine));
  const auto at = [&](Rank v, int count) {
    if (root) return call.input_blocks(v, count);
    if (leaf) return Slices{call.output(me)};
    return Slices{part(held, call.blocks_size(me, v - me), call.blocks_size(v, count))};
  };
  phase::scatter_binomial(call, me, at, out);
  out.copy(at(me, 1), Slices{call.output(me)});
}

constexpr Algorithm binomial{
    .collective = Collective::scatter,
    .name = "binomial",
    .summary = "each subtree gets its blocks down a binomial tree",
    .source = "Thakur2005 4.2",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + (p-1)/p*n*beta",
    .write = write,
};

}  // namespace tutti::catalog::scatter
