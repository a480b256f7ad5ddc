// Pipelined binary tree prefix sums (Sanders2007, section 1).
//
// Sums of subtrees go up an in-order tree; then prefixes go down it.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::prefix_sums(pipeline::ordered_binary_tree(call, me), call, me, out);
}

constexpr Algorithm binary_tree{
    .collective = Collective::scan,
    .name = "binary_tree",
    .summary = "sums go up a binary tree, prefixes down it",
    .source = "Sanders2007 1",
    .rounds = "p < 4 ? segments + p - 2 : 4*(segments + floor(lg(p))) - 2",
    .cost =
        "p < 4 ? (segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-1)*ceil(n/segments)*gamma "
        ": (4*(segments + floor(lg(p))) - 2)*(alpha + ceil(n/segments)*beta) + (segments + "
        "2*floor(lg(p)))*ceil(n/segments)*gamma",
    .within = 1.6,
    .write = write,
    .parameter = {Open::segments,
                  "sqrt((p < 4 ? (p-2)*beta + (p-1)*gamma : (floor(lg(p)) - 1/2)*beta + "
                  "floor(lg(p))/2*gamma)*n/alpha)"},
    .exclusive =
        {.cost =
             "p < 4 ? (segments + p - 2)*(alpha + ceil(n/segments)*beta) + "
             "(p-2)*ceil(n/segments)*gamma "
             ": (4*(segments + floor(lg(p))) - 2)*(alpha + ceil(n/segments)*beta) + (segments + "
             "2*floor(lg(p)))*ceil(n/segments)*gamma",
         .within = 2.0,
         .best = "sqrt((p < 4 ? (p-2)*beta + (p-2)*gamma : (floor(lg(p)) - 1/2)*beta + "
                 "floor(lg(p))/2*gamma)*n/alpha)"},
};

}  // namespace tutti::catalog::scan
