// Broadcast over a tree of nodes, and a postal tree in each (topology/postal_tree.hpp).
//
// For short messages: each enters a node once, and its ranks have it from each other. Where every
// rank has a node of its own, the binomial tree.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::all_at_once);  // nodes hear while their sender sees to its own
  phase::bcast_tree(phase::tree_of_nodes(call), call, me, out);
}

constexpr Algorithm node_tree{
    .collective = Collective::bcast,
    .name = "node_tree",
    .summary = "whole message down a tree of nodes, and a postal tree in each",
    .source = "Bar-Noy1994",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha_uni + n*beta_uni)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(n, alpha_uni, beta_uni)"},
};

}  // namespace tutti::catalog::bcast
