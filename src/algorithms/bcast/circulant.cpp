// n-block circulant broadcast (Traeff, arXiv 2407.18004; shared/ALGORITHMS.md, section 5).
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::bcast_circulant(call, me, out);
}

constexpr Algorithm circulant{
    .collective = Collective::bcast,
    .name = "circulant",
    .summary = "segments over the circulant graph, in the fewest rounds",
    .source = "Traeff, arXiv 2407.18004",
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost = "(segments - 1 + ceil(lg(p)))*(alpha + ceil(n/segments)*beta)",
    .write = write,
    .parameter = {Open::segments, "sqrt((ceil(lg(p)) - 1)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
