// Postal tree reduce (topology/postal_tree.hpp): the broadcast backwards.
//
// Subtrees are consecutive, so operand order is kept.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_tree(phase::tree_of(call), call, me, out);
}

constexpr Algorithm postal{
    .collective = Collective::reduce,
    .name = "postal",
    .summary = "whole vector up a tree as wide as messages overlap",
    .source = "Bar-Noy1994",
    .rounds = "postal_rounds(p, radix)",
    .cost = "postal_time(p, radix, n, 0, alpha_uni, beta_uni, n*gamma)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(n, alpha_uni, beta_uni)"},
};

}  // namespace tutti::catalog::reduce
