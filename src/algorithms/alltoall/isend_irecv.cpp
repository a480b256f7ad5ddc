// Rotated isend/irecv all-to-all (Thakur2005, 4.3).
//
// Every rank posts its messages at once, the one to rank+1 first, so that no rank is everybody's
// first target. All may be under way together, or those of a window of so many rounds: latency is
// hidden even where messages wait for their receivers, whose receives are posted too.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto input = phase::kept_input(call, me, out);
  out.pace(Pace::round_by_round, call.parameter);
  out.copy(call.input_block(me), call.output_block(me));
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    round.send(input(me + k), me + k);
    round.recv(call.output_block(me - k), me - k);
  }
}

constexpr Algorithm isend_irecv{
    .collective = Collective::alltoall,
    .name = "isend_irecv",
    .summary = "all messages at once, or a window of them, starting at the next rank",
    .source = "Thakur2005 4.3",
    .rounds = "p - 1",
    .cost = "alpha + n/p*beta + (p-2)*window_step(n/p, alpha, beta)",
    .write = write,
    .parameter = {Open::window, "p - 1"},
};

}  // namespace tutti::catalog::alltoall
