// Isend/irecv allgather: every rank sends its block to every other.
//
// As in the ring, each rank sends and receives p-1 blocks, but passes none on: no message waits for
// another, so that links are busy while processors handle what came. The one to rank+1 is first, so
// that no rank is everybody's first target (as in Thakur2005 4.3). A window hides latency with a
// few under way at a time: messages of all ranks at once crowd each other out.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::round_by_round, call.parameter);
  out.copy(call.input(me), call.output_block(me));
  phase::allgather_pairwise(call, me, out);
}

constexpr Algorithm isend_irecv{
    .collective = Collective::allgather,
    .name = "isend_irecv",
    .summary = "each block straight to every rank, all at once or a window of them",
    .source = "after Thakur2005 4.3",
    .rounds = "p - 1",
    .cost = "alpha + n/p*beta + (p-2)*window_step(n/p, alpha, beta)",
    .write = write,
    .parameter = {Open::window, "2 + 2*alpha/(n/p*beta)"},
};

}  // namespace tutti::catalog::allgather
