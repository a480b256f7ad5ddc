// Two-tree allreduce: a reduction and a broadcast (Sanders, Speck, Traeff 2007, section 4).
//
// The operands' order is kept, so this is the long allreduce for operators that do not commute.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const pipeline::Pipeline trees =
      pipeline::two_tree(call, me, call.commutative ? Order::any : Order::kept);
  pipeline::reduce(trees, call.input(me), me == 0 ? call.output(me) : Slice{}, out);
  pipeline::bcast(trees, call.output(me), out);
}

constexpr Algorithm two_tree{
    .collective = Collective::allreduce,
    .name = "two_tree",
    .summary = "reduction up two trees, broadcast down them",
    .source = "Sanders2007 4",
    .rounds = "2*(p < 4 ? segments + p - 2 : segments + 2*ceil(lg(p)) - 2)",
    .cost =
        "p < 4 ? 2*(segments + p - 2)*(alpha + ceil(n/segments)*beta) + "
        "(p-1)*ceil(n/segments)*gamma : (2*(segments + 2*ceil(lg(p))) - 3)*(alpha + "
        "ceil(n/segments)*beta) + (segments + 2*ceil(lg(p)) - 1)*ceil(n/segments)*gamma",
    .within = 1.3,
    .write = write,
    .parameter = {Open::segments,
                  "sqrt((p < 4 ? (p-2)*beta + (p-1)/2*gamma : (2*ceil(lg(p)) - 2)*(beta + "
                  "gamma/2))*n/alpha)"},
};

}  // namespace tutti::catalog::allreduce
