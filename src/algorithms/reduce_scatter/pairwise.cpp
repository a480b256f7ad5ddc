// Pairwise exchange reduce-scatter (Thakur2005, 4.4).
//
// In round k every rank sends to rank me+k its contribution to that rank's block, and combines what
// it gets from rank me-k. Operand order is kept. Few bytes, many rounds: for long messages. In a
// window of rounds what has come is combined while more is under way.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  // In place, blocks that wait to be sent lie where the result goes.
  const Slice result = call.p == 1 ? call.output(me) : out.apart(call.output(me), {call.input(me)});
  out.pace(Pace::round_by_round, call.parameter);
  phase::reduce_scatter_pairwise(call, me, result, out, call.parameter);
  out.copy(result, call.output(me));
}

constexpr Algorithm pairwise{
    .collective = Collective::reduce_scatter,
    .name = "pairwise",
    .summary = "contributions straight to the rank whose block it is",
    .source = "Thakur2005 4.4",
    .rounds = "p - 1",
    .cost =
        "alpha + largest*(beta + gamma) + (p-2)*(window > 1 ? max(largest*gamma, "
        "window_step(largest, alpha, beta)) : alpha + largest*(beta + gamma))",
    .write = write,
    .parameter = {Open::window, "2 + 2*alpha/(largest*beta)"},
};

}  // namespace tutti::catalog::reduce_scatter
