// Postal tree gather (topology/postal_tree.hpp): the scatter backwards.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::gather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::gather_tree(phase::tree_of(call), call, me, out);
}

constexpr Algorithm postal{
    .collective = Collective::gather,
    .name = "postal",
    .summary = "subtrees collect their blocks up a tree as wide as messages overlap",
    .source = "Bar-Noy1994",
    .rounds = "postal_rounds(p, radix)",
    .cost = "postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(n/p, alpha_uni, beta_uni)"},
};

}  // namespace tutti::catalog::gather
