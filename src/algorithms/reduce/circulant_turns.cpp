// n-block circulant reduction of two halves by turns: arithmetic is hidden behind messages.
//
// In the reduction over the circulant graph a rank sends on in the next round what it has just
// combined, so every round takes both the message and the arithmetic. Here the message's halves are
// reduced by turns: while a segment of one travels, that of the other is combined. The fill takes
// twice the rounds.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::by_turns(call, me, phase::reduce_circulant, out);
}

constexpr Algorithm circulant_turns{
    .collective = Collective::reduce,
    .name = "circulant_turns",
    .summary = "two circulant reductions by turns: one travels, the other is combined",
    .source = "own; Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments == 1 ? ceil(lg(p)) : segments + 2*(ceil(lg(p)) - 1)",
    .cost =
        "segments == 1 ? ceil(lg(p))*(alpha + n*(beta + gamma))"
        " : (segments + 2*ceil(lg(p)) - 2)*max(alpha + ceil(n/segments)*beta, "
        "ceil(n/segments)*gamma)"
        " + (segments == 2*floor(segments/2) ? 1 : 2)*min(alpha + ceil(n/segments)*beta, "
        "ceil(n/segments)*gamma)",
    .write = write,
    .parameter = {Open::segments, "sqrt(((2*ceil(lg(p)) - 2)*beta + gamma)*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
