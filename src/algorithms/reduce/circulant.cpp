// n-block circulant reduction: the broadcast of that name, backwards (Traeff, arXiv 2407.18004).
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_circulant(call, me, 1, out);
}

constexpr Algorithm circulant{
    .collective = Collective::reduce,
    .name = "circulant",
    .summary = "segments over the circulant graph, in the fewest rounds",
    .source = "Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost =
        "(segments - 1 + ceil(lg(p)))*max(alpha + ceil(n/segments)*beta, ceil(n/segments)*gamma)"
        " + (p < 4 ? 1 : (segments - 1)/2 + 2*ceil(lg(p)))*min(alpha + ceil(n/segments)*beta, "
        "ceil(n/segments)*gamma)",
    .within = 1.5,
    .write = write,
    .parameter = {Open::segments,
                  "sqrt(((ceil(lg(p)) - 1)*beta + (p < 4 ? 1 : 2*ceil(lg(p)))*gamma)*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
