// Pairwise exchange reduce-scatter (Thakur2005, 4.4).
//
// In round k every rank sends to rank me+k its contribution to that rank's block, and combines what
// it gets from rank me-k. Operand order is kept. Few bytes, many rounds: for long messages.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  // In place, blocks that wait to be sent lie where the result goes.
  const Slice result = call.p == 1 ? call.output(me) : out.apart(call.output(me), {call.input(me)});
  phase::reduce_scatter_pairwise(call, me, result, out);
  out.copy(result, call.output(me));
}

constexpr Algorithm pairwise{
    .collective = Collective::reduce_scatter,
    .name = "pairwise",
    .summary = "contributions straight to the rank whose block it is",
    .source = "Thakur2005 4.4",
    .rounds = "p - 1",
    .cost = "(p-1)*(alpha + largest*(beta + gamma))",
    .write = write,
};

}  // namespace tutti::catalog::reduce_scatter
