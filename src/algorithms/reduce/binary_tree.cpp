// Pipelined binary tree reduction: the broadcast backwards (Sanders2007, section 1).
//
// The tree is in order, so the order of operands is kept.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice result =
      me == 0 ? (call.has_output(me) ? call.output(me) : out.scratch(call.n())) : Slice{};
  pipeline::reduce(pipeline::binary_tree(call, me), call.input(me), result, out);
  phase::pass_to_root(call, me, result, out);
}

constexpr Algorithm binary_tree{
    .collective = Collective::reduce,
    .name = "binary_tree",
    .summary = "segments go up a binary tree",
    .source = "Sanders2007 1",
    .rounds = "2*(segments + floor(lg(p-1))) - 1",
    .cost = "(2*(segments + floor(lg(p-1))) - 1)*(alpha + ceil(n/segments)*beta)",
    .within = 1.5,
    .write = write,
    .parameter = {Open::segments, "sqrt((floor(lg(p-1)) - 1/2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::reduce
