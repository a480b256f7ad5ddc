// Binomial tree scatter (Thakur2005, 4.2).
//
// The root sends each child the blocks of its whole subtree, the largest first; they are passed on
// in the same way. The root sends straight from its input.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scatter_tree(PostalTree(call.p, 2), call, me, out);
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
