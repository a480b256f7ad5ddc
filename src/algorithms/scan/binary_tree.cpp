// Pipelined binary tree scan (Sanders2007, section 1).
//
// Sums of subtrees go up an in-order tree; then prefixes go down it.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::scan(pipeline::ordered_binary_tree(call, me), call, me, out);
}

constexpr Algorithm binary_tree{
    .collective = Collective::scan,
    .name = "binary_tree",
    .summary = "sums go up a binary tree, prefixes down it",
    .source = "Sanders2007 1",
    .rounds = "4*(segments + floor(lg(p))) - 2",
    .cost = "(4*(segments + floor(lg(p))) - 2)*(alpha + ceil(n/segments)*beta)",
    .within = 1.5,
    .write = write,
    .parameter = {Open::segments, "sqrt((floor(lg(p)) - 1/2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::scan
