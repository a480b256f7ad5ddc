// n-block circulant reduction: the broadcast of that name, backwards (Traeff, arXiv 2407.18004).
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

constexpr Algorithm circulant{
    .collective = Collective::reduce,
    .name = "circulant",
    .summary = "segments over the circulant graph, in the fewest rounds",
    .source = "Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost =
        "p == 2 ? segments*(alpha + ceil(n/segments)*beta) + ceil(n/segments)*gamma : (segments + "
        "ceil(lg(p)))*(alpha + ceil(n/segments)*(beta + gamma))",
    .within = 1.4,
    .write = phase::reduce_circulant,
    .parameter = {Open::segments,
                  "sqrt((p == 2 ? gamma : (ceil(lg(p)) - 1)*(beta + gamma))*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
