// Ring allreduce (Thakur2005, 5.3): pairwise exchange, then a ring.
//
// The vector is cut into p blocks. In p-1 rounds every rank gets all contributions to its own
// block, in p-1 more the results travel around the ring. Few bytes for any p, but many rounds.
#include "algorithms/ring.hpp"

#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_scatter_pairwise(call, me, call.output_block(me), out);
  phase::allgather_ring(call, me, out);
}

constexpr Algorithm ring{
    .collective = Collective::allreduce,
    .name = "ring",
    .summary = "pairwise exchange reduces p blocks, then a ring collects them",
    .source = "Thakur2005 5.3",
    .requires_ = {.divisible = true},
    .rounds = "2*(p - 1)",
    .cost = "2*(p-1)*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma",
    .write = write,
};

}  // namespace tutti::catalog::allreduce
