// Circulant allreduces of the message's quarters, by turns: arithmetic and latency are hidden.
//
// While the messages of one quarter travel, what has arrived of the others is combined. That takes
// four times the rounds.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::by_turns(call, me, 4, phase::allreduce_circulant, out);
}

constexpr Algorithm circulant_turns{
    .collective = Collective::allreduce,
    .name = "circulant_turns",
    .summary = "circulant allreduces of quarters by turns: one travels, others are combined",
    .source = "own; Traeff, arXiv 2410.14234",
    .requires_ = {.commutative = true, .divisible = true},
    .rounds = "8*ceil(lg(p))",
    // Decimals make it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "8*ceil(lg(p))*alpha + n*((1.25 - 1.5/p)*beta + max(beta, gamma)/2"
        " + (0.25 - 0.5/p)*max(beta, 2*gamma))",
    .within = 1.2,
    .write = write,
};

}  // namespace tutti::catalog::allreduce
