// All-to-all in rank order: what not to do (Thakur2005, 4.3).
//
// Every rank sends to rank 0 first, then to rank 1, and so on, so all of them wait for the same
// rank: the message from i to j cannot arrive before round i+j. Kept to show the hot spot that
// starting at the next rank avoids.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto input = phase::kept_input(call, me, out);
  out.pace(Pace::all_at_once);
  out.copy(call.input_block(me), call.output_block(me));
  for (int sum = 1; sum <= 2 * call.p - 3; ++sum) {
    Round round = out.round();
    const Rank peer = sum - me;
    if (peer < 0 || peer >= call.p || peer == me) continue;
    round.send(input(peer), peer);
    round.recv(call.output_block(peer), peer);
  }
}

constexpr Algorithm in_rank_order{
    .collective = Collective::alltoall,
    .name = "in_rank_order",
    .summary = "all messages at once, all starting at rank 0: the old way",
    .source = "Thakur2005 4.3",
    .rounds = "2*p - 3",
    .cost = "(2*p-3)*(alpha + n/p*beta)",
    .within = 2,
    .write = write,
};

}  // namespace tutti::catalog::alltoall
