// Binomial tree reduce (Thakur2005, 4.5).
//
// Each rank combines its own vector with those of its subtrees, the nearest child first, and passes
// the result on. Subtrees are consecutive, so operand order is kept; when the operator does not
// commute the tree is rooted at rank 0, which hands the result to the root.
#include "topology/binomial.hpp"

#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const bool leaf = BinomialTree{call.p}.subtree(me) == 1;
  const Slice target = call.has_output(me) || leaf ? call.output(me) : out.scratch(call.n());
  const Slice result = phase::reduce_binomial(call, me, target, out);
  phase::pass_to_root(call, me, result, out);
}

constexpr Algorithm binomial{
    .collective = Collective::reduce,
    .name = "binomial",
    .summary = "whole vector up a binomial tree",
    .source = "Thakur2005 4.5",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta + n*gamma) - (p == 3 ? min(n*gamma, alpha + n*beta) : 0)",
    .write = write,
    .published = "ceil(lg(p))*(alpha + n*beta + n*gamma)",
    .difference = "for powers of two and all others but 3: there the root reduces as it receives",
};

}  // namespace tutti::catalog::reduce
