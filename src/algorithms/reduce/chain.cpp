// Linear pipeline reduction: the chain broadcast backwards (Sanders2007, section 1).
//
// Segments are summed on their way from rank p-1 to rank 0, the order of operands kept.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice result =
      me == 0 ? (call.has_output(me) ? call.output(me) : out.scratch(call.n())) : Slice{};
  pipeline::reduce(pipeline::chain(call, me), call.input(me), result, out);
  phase::pass_to_root(call, me, result, out);
}

constexpr Algorithm chain{
    .collective = Collective::reduce,
    .name = "chain",
    .summary = "segments go from rank to rank",
    .source = "Sanders2007 1",
    .rounds = "segments + p - 2",
    .cost = "(segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-1)*ceil(n/segments)*gamma",
    .write = write,
    .parameter = {Open::segments, "sqrt(((p-2)*beta + (p-1)*gamma)*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
