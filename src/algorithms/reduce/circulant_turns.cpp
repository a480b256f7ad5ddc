// n-block circulant reductions of the message's parts, by turns: arithmetic and latency are hidden.
//
// In the reduction over the circulant graph a rank sends on in the next round what it has just
// combined, so every round takes both the message and the arithmetic. Here a message of each part
// is under way: while a segment of one travels, that of another is combined. The fill takes as many
// times the rounds as there are parts.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::pipelines_by_turns(call, me, phase::reduce_circulant, out);
}

constexpr Algorithm circulant_turns{
    .collective = Collective::reduce,
    .name = "circulant_turns",
    .summary = "circulant reductions of parts by turns: one travels, others are combined",
    .source = "own; Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments + parts(segments)*(ceil(lg(p)) - 1)",
    .cost =
        "segments < 4 ? (segments + ceil(lg(p)) - 1)*(alpha + ceil(n/segments)*(beta + gamma))"
        " : (segments + parts(segments)*(ceil(lg(p)) - 1))*max(alpha + "
        "ceil(n/segments)*beta, ceil(n/segments)*gamma)"
        " + min(alpha + ceil(n/segments)*beta, ceil(n/segments)*gamma)",
    .write = write,
    .parameter = {Open::segments, "4*sqrt((ceil(lg(p)) - 1)*n*max(beta, gamma)/alpha)"},
};

}  // namespace tutti::catalog::reduce
