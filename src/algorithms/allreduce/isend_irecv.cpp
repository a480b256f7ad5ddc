// Isend/irecv allreduce: contributions straight to the rank whose block it is, results straight to
// every rank.
//
// As in the ring, each rank sends and receives 2(p-1) blocks, but passes none on: within each half
// no message waits for another rank, so that links are busy while processors handle what came.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::round_by_round, call.parameter);
  phase::reduce_scatter_pairwise(call, me, call.output_block(me), out, call.parameter);
  phase::allgather_pairwise(call, me, out);
}

constexpr Algorithm isend_irecv{
    .collective = Collective::allreduce,
    .name = "isend_irecv",
    .summary = "contributions straight to the rank whose block it is, results to every rank",
    .source = "after Thakur2005 4.3, 4.4",
    .requires_ = {.divisible = true},
    .rounds = "2*(p - 1)",
    .cost =
        "2*(alpha + n/p*beta) + n/p*gamma + (p-2)*(window_step(n/p, alpha, beta) + (window > 1 ? "
        "max(n/p*gamma, window_step(n/p, alpha, beta)) : alpha + n/p*(beta + gamma)))",
    .write = write,
    .parameter = {Open::window, "2 + 2*alpha/(n/p*beta)"},
};

}  // namespace tutti::catalog::allreduce
