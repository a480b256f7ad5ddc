// Linear pipeline prefix sums (Sanders2007, section 1).
//
// Each rank adds its operand to the segments of the prefix that pass through it.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::prefix_sums(pipeline::ordered_chain(call, me), call, me, out);
}

constexpr Algorithm chain{
    .collective = Collective::scan,
    .name = "chain",
    .summary = "prefixes go from rank to rank in segments",
    .source = "Sanders2007 1",
    .rounds = "segments + p - 2",
    .cost = "(segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-1)*ceil(n/segments)*gamma",
    .write = write,
    .parameter = {Open::segments, "sqrt(((p-2)*beta + (p-1)*gamma)*n/alpha)"},
    .exclusive =
        {.cost =
             "(segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-2)*ceil(n/segments)*gamma",
         .best = "sqrt(((p-2)*beta + (p-2)*gamma)*n/alpha)"},
};

}  // namespace tutti::catalog::scan
