// Scatter + ring allgather broadcast (van de Geijn; Thakur2005, 4.2).
//
// The message is cut into p blocks that are scattered down a binomial tree, then collected around a
// ring. Everything travels about twice, instead of ceil(lg p) times: for long messages.
#include "algorithms/registry.hpp"
#include "algorithms/ring.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scatter_message(call, me, out);
  phase::allgather_ring(call, me, out, phase::held_after_scatter);
}

constexpr Algorithm scatter_ring{
    .collective = Collective::bcast,
    .name = "scatter_ring",
    .summary = "binomial scatter of p blocks, then a ring collects them",
    .source = "Thakur2005 4.2",
    .rounds = "ceil(lg(p)) + p - 1",
    .cost = "(ceil(lg(p)) + p-1)*alpha + 2*(p-1)/p*n*beta",
    .write = write,
};

}  // namespace tutti::catalog::bcast
