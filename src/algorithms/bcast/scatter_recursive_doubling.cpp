// Scatter + recursive doubling broadcast (van de Geijn; Thakur2005, 4.2).
//
// As with the ring, the message is cut into p blocks that are scattered down a binomial tree; they
// are collected in about lg p rounds instead of p-1, over longer distances.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scatter_message(call, me, out);
  phase::allgather_recursive_doubling(call, me, out, phase::held_after_scatter);
}

constexpr Algorithm scatter_recursive_doubling{
    .collective = Collective::bcast,
    .name = "scatter_recursive_doubling",
    .summary = "binomial scatter of p blocks, then groups exchange what they hold",
    .source = "Thakur2005 4.2",
    .rounds = "2*ceil(lg(p)) + floor(lg(p)) - twos(p)",
    // 3.5 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "(2*ceil(lg(p)) + floor(lg(p)) - (is_power_of_two(p) ? lg(p) : max(twos(p)-1, "
        "0)))*alpha + "
        "(is_power_of_two(p) ? 2 : 3.5)*(p-1)/p*n*beta",
    .within = 1.4,
    .write = write,
    .published = "2*ceil(lg(p))*alpha + 2*(p-1)/p*n*beta",
    .difference = "for powers of two; otherwise 4.1.1 only bounds the rounds of the allgather",
};

}  // namespace tutti::catalog::bcast
