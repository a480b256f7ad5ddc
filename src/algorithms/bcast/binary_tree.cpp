// Pipelined binary tree broadcast (Sanders2007, section 1).
//
// Segments go down an in-order binary tree. A rank sends each to two children, so the message takes
// twice its time at full bandwidth, but the pipeline fills in 2 lg p rounds.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::bcast(pipeline::binary_tree(call, me), {Buffer::out, 0, call.n()}, out);
}

constexpr Algorithm binary_tree{
    .collective = Collective::bcast,
    .name = "binary_tree",
    .summary = "segments go down a binary tree",
    .source = "Sanders2007 1",
    .rounds = "p < 4 ? segments + p - 2 : 2*(segments + floor(lg(p-1))) - 1",
    .cost =
        "(p < 4 ? segments + p - 2 : 2*(segments + floor(lg(p-1))) - 1)*(alpha + "
        "ceil(n/segments)*beta)",
    .within = 1.1,
    .write = write,
    .parameter = {Open::segments, "sqrt((p < 4 ? p-2 : floor(lg(p-1)) - 1/2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
