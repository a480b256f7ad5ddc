// Scatter + digit elimination allgather broadcast, any radix (van de Geijn; shared/ALGORITHMS.md,
// section 3).
//
// The message is cut into p blocks that are scattered down a postal tree, then collected in rounds
// for the digits of the distance. With a larger radix more messages overlap in both: for messages
// of middling length, where latency still counts.
#include "algorithms/digits.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scatter_message(call, me, out);
  phase::allgather_digits(
      call, me, [&](Rank v) { return call.output_block(v); }, out, phase::held_after_scatter);
}

constexpr Algorithm scatter_digits{
    .collective = Collective::bcast,
    .name = "scatter_digits",
    .summary = "postal scatter of p blocks, collected in rounds for the digits of their distance",
    .source = "Thakur2005 4.2; ALGORITHMS.md 3",
    .rounds = "postal_rounds(p, radix) + digit_rounds(p, radix)",
    // 1.35 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "(radix < p ? 1.35 : 1)*(postal_time(p, radix, 0, n/p, alpha, beta, 0)"
        " + digit_rounds(p, radix)*alpha + (p-1)/p*n*beta)",
    .within = 1.4,
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::bcast
