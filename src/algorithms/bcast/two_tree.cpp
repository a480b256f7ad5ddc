// Two-tree broadcast (Sanders, Speck, Traeff 2007, sections 2 and 3).
//
// Segments go down two binary trees by turns. Nobody has children in both, so every rank sends as
// much as it receives: full bandwidth, after 2 lg p rounds to fill the pipeline, for any p.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::bcast(pipeline::two_tree(call, me, Order::any), {Buffer::out, 0, call.n()}, out);
}

constexpr Algorithm two_tree{
    .collective = Collective::bcast,
    .name = "two_tree",
    .summary = "segments go down two binary trees by turns",
    .source = "Sanders2007 2, 3",
    .rounds = "p < 4 ? segments + p - 2 : segments + 2*ceil(lg(p)) - 2",
    .cost =
        "(p < 4 ? segments + p - 2 : segments + 2*ceil(lg(p)) - 2)*(alpha + ceil(n/segments)*beta)",
    .within = 1.2,
    .write = write,
    .parameter = {Open::segments, "sqrt((p < 4 ? p-2 : 2*ceil(lg(p)) - 2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
