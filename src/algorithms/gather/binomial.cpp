// Binomial tree gather (Thakur2005, 4.5).
//
// Each rank collects the blocks of its subtree, which are consecutive, and passes them on as one
// message, the nearest child first. The root receives straight into its output.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::gather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::gather_tree(PostalTree(call.p, 2), call, me, out);
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
