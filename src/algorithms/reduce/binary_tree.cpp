// Pipelined binary tree reduction: the broadcast backwards (Sanders2007, section 1).
//
// The tree is in order, so the order of operands is kept.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::reduce_to_root(pipeline::binary_tree(call, me), call, me, out);
}

constexpr Algorithm binary_tree{
    .collective = Collective::reduce,
    .name = "binary_tree",
    .summary = "segments go up a binary tree",
    .source = "Sanders2007 1",
    .rounds = "p < 4 ? segments + p - 2 : 2*(segments + floor(lg(p-1))) - 1",
    .cost =
        "(p < 4 ? segments + p - 2 : 2*(segments + floor(lg(p-1))))*(alpha + "
        "ceil(n/segments)*beta) + (p < 4 ? p-1 : floor(lg(p)))*ceil(n/segments)*gamma",
    .within = 1.2,
    .write = write,
    .parameter = {Open::segments,
                  "sqrt((p < 4 ? (p-2)*beta + (p-1)*gamma : (floor(lg(p-1)) - 1/2)*beta + "
                  "floor(lg(p))/2*gamma)*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
