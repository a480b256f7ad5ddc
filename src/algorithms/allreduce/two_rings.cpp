// Two rings: reduce-scatter, then allgather (Barnett et al., 1994; "bucket", "ring allreduce").
//
// The vector is cut into p blocks. Partial results travel once around the ring, then results do.
// All messages go to the neighbour: one at a time leaves a node.
#include "algorithms/registry.hpp"
#include "algorithms/ring.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_scatter_ring(call, me, call.output_block(me), out);
  phase::allgather_ring(call, me, out);
}

constexpr Algorithm two_rings{
    .collective = Collective::allreduce,
    .name = "two_rings",
    .summary = "partial results travel once around a ring, then results do",
    .source = "Barnett et al., SHPCC 1994",
    .requires_ = {.commutative = true, .divisible = true},
    .rounds = "2*(p - 1)",
    .cost = "2*(p-1)*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma",
    .write = write,
};

}  // namespace tutti::catalog::allreduce
