// Reduce to rank 0, then broadcast (Thakur2005, 4.5): the old allreduce.
//
// Whole vectors travel up a binomial tree, and the result down: twice the rounds of recursive
// doubling.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PostalTree tree(call.p, 2);
  phase::vectors_up(tree, call, me, call.output(me), out);
  phase::bcast_tree(tree, call, me, out);
}

constexpr Algorithm reduce_bcast{
    .collective = Collective::allreduce,
    .name = "reduce_bcast",
    .summary = "whole vectors up a binomial tree, the result down",
    .source = "Thakur2005 4.5",
    .rounds = "2*ceil(lg(p))",
    .cost = "postal_time(p, 2, n, 0, alpha, beta, n*gamma) + ceil(lg(p))*(alpha + n*beta)",
    .write = write,
};

}  // namespace tutti::catalog::allreduce
