// n-block circulant broadcast (Traeff, arXiv 2407.18004; shared/ALGORITHMS.md, section 5).
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::bcast {

constexpr Algorithm circulant{
    .collective = Collective::bcast,
    .name = "circulant",
    .summary = "segments over the circulant graph, in the fewest rounds",
    .source = "Traeff, arXiv 2407.18004",
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost = "(segments - 1 + ceil(lg(p)))*(alpha + ceil(n/segments)*beta)",
    .write = phase::bcast_circulant,
    .parameter = {Open::segments, "sqrt((ceil(lg(p)) - 1)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
