// Linear pipeline reduction: the chain broadcast backwards (Sanders2007, section 1).
//
// Segments are summed on their way from rank p-1 to rank 0, the order of operands kept.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::reduce_to_root(pipeline::chain(call, me), call, me, out);
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
