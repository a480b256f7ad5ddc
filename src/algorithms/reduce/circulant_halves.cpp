// n-block circulant reductions of two halves, by turns: each hides the other's latency.
//
// As circulant_turns, but there is less to fill: for where messages cost ranks a processor that
// they share, and few segments are best.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::by_turns(call, me, 2, phase::reduce_circulant, out);
}

constexpr Algorithm circulant_halves{
    .collective = Collective::reduce,
    .name = "circulant_halves",
    .summary = "circulant reductions of two halves, by turns: one travels, one is combined",
    .source = "own; Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments < 2 ? ceil(lg(p)) : segments + 2*(ceil(lg(p)) - 1)",
    .cost =
        "(segments < 2 ? ceil(lg(p)) : segments + 2*(ceil(lg(p)) - 1))*max(alpha + "
        "ceil(n/segments)*beta, ceil(n/segments)*gamma)"
        " + min(alpha + ceil(n/segments)*beta, ceil(n/segments)*gamma)",
    .write = write,
    .parameter = {Open::segments, "2*sqrt((ceil(lg(p)) - 1)*n*max(beta, gamma)/alpha)"},
};

}  // namespace tutti::catalog::reduce
