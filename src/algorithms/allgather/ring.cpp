// Ring allgather (Thakur2005, 4.1).
//
// In round k every rank passes on the block it received in round k-1 to rank+1. Each link carries
// each block once: no fewer bytes are possible, but there are p-1 rounds.
#include "algorithms/ring.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  phase::allgather_ring(call, me, out);
}

constexpr Algorithm ring{
    .collective = Collective::allgather,
    .name = "ring",
    .summary = "each block travels once around the ring",
    .source = "Thakur2005 4.1",
    .rounds = "p - 1",
    .cost = "(p-1)*(alpha + largest*beta)",
    .write = write,
};

}  // namespace tutti::catalog::allgather
