// Binomial tree reduce (Thakur2005, 4.5).
//
// Each rank combines its own vector with those of its subtrees, the nearest child first, and passes
// the result on. Subtrees are consecutive, so operand order is kept; when the operator does not
// commute the tree is rooted at rank 0, which hands the result to the root.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_tree(PostalTree(call.p, 2), call, me, out);
}

constexpr Algorithm binomial{
    .collective = Collective::reduce,
    .name = "binomial",
    .summary = "whole vector up a binomial tree",
    .source = "Thakur2005 4.5",
    .rounds = "ceil(lg(p))",
    .cost = "postal_time(p, 2, n, 0, alpha, beta, n*gamma)",
    .write = write,
    .published = "ceil(lg(p))*(alpha + n*beta + n*gamma)",
    .difference = "for powers of two; otherwise some ranks reduce while they receive more",
};

}  // namespace tutti::catalog::reduce
