// Ring allgatherv (Thakur2005, 4.1), blocks of any sizes.
//
// Every rank passes on to rank+1 what it received from rank-1: no fewer bytes are possible, and one
// message at a time leaves a node. A block that is longer than others goes in segments: it would
// otherwise take its whole time at each of p-1 ranks.
#include "algorithms/ring.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::allgatherv {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  phase::allgather_ring(call, me, out);
}

constexpr Algorithm ring{
    .collective = Collective::allgatherv,
    .name = "ring",
    .summary = "each block travels once around the ring, a long one in segments",
    .source = "Thakur2005 4.1",
    .rounds = "min((p-1)*segments, n*segments/largest + p - 2)",
    .cost =
        "min((p-1)*segments, n*segments/largest + p - 2)"
        "*(alpha + ceil(largest/segments)*beta)",
    .write = write,
    // Blocks that differ by less than a thousandth count as equal.
    .parameter = {Open::segments, "largest > 1.001*n/p ? largest*sqrt((p-2)*beta/(n*alpha)) : 1"},
};

}  // namespace tutti::catalog::allgatherv
