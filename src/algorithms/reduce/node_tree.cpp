// Reduce over a tree of nodes, and a postal tree in each (topology/postal_tree.hpp): the
// broadcast backwards.
//
// Subtrees are consecutive, so operand order is kept.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_tree(phase::tree_of_nodes(call), call, me, out);
}

constexpr Algorithm node_tree{
    .collective = Collective::reduce,
    .name = "node_tree",
    .summary = "whole vectors up a postal tree in each node, and a tree of nodes",
    .source = "Bar-Noy1994",
    .rounds = "ceil(lg(p))",
    .cost = "postal_time(p, 2, n, 0, alpha_uni, beta_uni, n*gamma)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(n, alpha_uni, beta_uni)"},
};

}  // namespace tutti::catalog::reduce
