// Two-tree reduction: the broadcast backwards (Sanders, Speck, Traeff 2007, section 4).
//
// Where the operator does not commute both trees are in order.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Order order = call.commutative ? Order::any : Order::kept;
  pipeline::reduce_to_root(pipeline::two_tree(call, me, order), call, me, out);
}

constexpr Algorithm two_tree{
    .collective = Collective::reduce,
    .name = "two_tree",
    .summary = "segments go up two binary trees by turns",
    .source = "Sanders2007 4",
    .rounds = "p < 4 ? segments + p - 2 : segments + 2*ceil(lg(p)) - 2",
    .cost =
        "p < 4 ? (segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-1)*ceil(n/segments)*gamma "
        ": (segments + 2*ceil(lg(p)) - 1)*(alpha + ceil(n/segments)*(beta + gamma))",
    .within = 1.4,
    .write = write,
    .parameter =
        {Open::segments,
         "sqrt((p < 4 ? (p-2)*beta + (p-1)*gamma : (2*ceil(lg(p)) - 2)*(beta + gamma))*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
