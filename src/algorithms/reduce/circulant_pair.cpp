// Two n-block circulant reductions of half the message each, a message's latency apart.
//
// The broadcast of that name (bcast/circulant_pair.cpp) backwards. While a segment of one half
// travels, that of the other is combined, and the next is asked for and on its way.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::pipelines_apart(call, me, phase::reduce_circulant, out);
}

constexpr Algorithm circulant_pair{
    .collective = Collective::reduce,
    .name = "circulant_pair",
    .summary = "two circulant reductions of halves, a latency apart: one travels, one is asked for",
    .source = "own; Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments > 1 ? 2*(ceil(segments/2) + ceil(lg(p))) - 1 : ceil(lg(p))",
    .cost =
        "segments < 2 ? ceil(lg(p))*(alpha + n*(beta + gamma))"
        " : 2*(ceil(segments/2) + ceil(lg(p)) - 1)*max(alpha + ceil(n/(2*ceil(segments/2)))*beta, "
        "ceil(n/(2*ceil(segments/2)))*gamma) + alpha"
        " + min(alpha + ceil(n/(2*ceil(segments/2)))*beta, ceil(n/(2*ceil(segments/2)))*gamma)",
    .write = write,
    // 1.5 as in the broadcast.
    .parameter = {Open::segments, "4*sqrt((ceil(lg(p)) - 1)*n*max(beta, gamma)/alpha)",
                  "max(n*max(beta, gamma)/(1.5*alpha), 4*(ceil(lg(p)) - 1))"},
    .synchronous = true,
};

}  // namespace tutti::catalog::reduce
