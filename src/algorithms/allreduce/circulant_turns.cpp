// Circulant allreduce of two halves by turns: arithmetic is hidden behind messages.
//
// While the messages of one half travel, what has arrived of the other is combined. That takes
// twice the rounds, for arithmetic that would take long.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::by_turns(call, me, phase::allreduce_circulant, out);
}

constexpr Algorithm circulant_turns{
    .collective = Collective::allreduce,
    .name = "circulant_turns",
    .summary = "two circulant allreduces by turns: one travels, the other is combined",
    .source = "own; Traeff, arXiv 2410.14234",
    .requires_ = {.commutative = true},
    .rounds = "4*ceil(lg(p))",
    .cost =
        "4*ceil(lg(p))*alpha + n*((1.25 - 1.5/p)*beta + max(beta, gamma)/2"
        " + (0.25 - 0.5/p)*max(beta, 2*gamma))",
    .within = 1.1,
    .write = write,
};

}  // namespace tutti::catalog::allreduce
