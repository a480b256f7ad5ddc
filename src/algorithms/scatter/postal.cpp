// Postal tree scatter (topology/postal_tree.hpp).
//
// Each rank gets the blocks of its subtree, the ranks it hands most on to first.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scatter_tree(phase::tree_of(call), call, me, out);
}

constexpr Algorithm postal{
    .collective = Collective::scatter,
    .name = "postal",
    .summary = "each subtree gets its blocks down a tree as wide as messages overlap",
    .source = "Bar-Noy1994",
    .rounds = "postal_rounds(p, radix)",
    .cost = "postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(n/p, alpha_uni, beta_uni)"},
};

}  // namespace tutti::catalog::scatter
