// Ring reduce-scatter: partial results travel once around (Barnett et al., 1994; "bucket").
//
// In p-1 rounds every rank sends rank+1 the partial result that it received the round before, with
// its own contribution. No fewer bytes are possible, and all go to the neighbour: one message at a
// time leaves a node. Blocks that are longer than others go in segments.
#include "algorithms/ring.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_scatter_ring(call, me, call.output(me), out);
}

constexpr Algorithm ring{
    .collective = Collective::reduce_scatter,
    .name = "ring",
    .summary = "partial results travel once around the ring, long blocks in segments",
    .source = "Barnett et al., SHPCC 1994",
    .requires_ = {.commutative = true},
    .rounds = "min((p-1)*segments, n*segments/largest + p - 2)",
    .cost =
        "min((p-1)*segments, n*segments/largest + p - 2)"
        "*(alpha + ceil(largest/segments)*(beta + gamma))",
    .write = write,
    // Blocks that differ by less than a thousandth count as equal.
    .parameter = {Open::segments,
                  "largest > 1.001*n/p ? largest*sqrt((p-2)*(beta + gamma)/(n*alpha)) : 1"},
};

}  // namespace tutti::catalog::reduce_scatter
