// Two-tree broadcast (Sanders, Speck, Traeff 2007, sections 2 and 3), each tree for itself.
//
// In `two_tree` a rank's rounds are in one order: where messages all take equally long nobody waits
// for a port. Where some take longer, what is late in one tree holds up the other. Here each tree
// is a strand: a segment is sent on as soon as it is there.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::bcast(pipeline::two_tree(call, me, Order::any), {Buffer::out, 0, call.n()}, out,
                  pipeline::Streams::strands);
}

constexpr Algorithm two_tree_strands{
    .collective = Collective::bcast,
    .name = "two_tree_strands",
    .summary = "segments go down two binary trees, in each at its own speed",
    .source = "own; Sanders2007 2, 3",
    .rounds = "p < 4 ? segments + p - 2 : segments + 2*ceil(lg(p)) - 2",
    // 1.15 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "(p < 4 ? segments + p - 2 : 1.15*segments + 2*ceil(lg(p)) - 2)*(alpha + "
        "ceil(n/segments)*beta)",
    .within = 1.3,
    .write = write,
    .parameter = {Open::segments, "sqrt((p < 4 ? p-2 : 2*ceil(lg(p)) - 2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
