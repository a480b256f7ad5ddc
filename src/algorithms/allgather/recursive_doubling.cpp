// Recursive doubling allgather (Thakur2005, 4.1.1), any p.
//
// Aligned groups of 2^k ranks that hold all blocks of their group exchange with the neighbouring
// group over doubling distances. Where p cuts the neighbour short, the ranks without a peer get its
// blocks from those with one, over halving distances inside the group.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  phase::allgather_recursive_doubling(call, me, out);
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::allgather,
    .name = "recursive_doubling",
    .summary = "groups exchange all they hold over doubling distances",
    .source = "Thakur2005 4.1.1",
    .rounds = "ceil(lg(p)) + floor(lg(p)) - twos(p)",
    // 2.5 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "(ceil(lg(p)) + floor(lg(p)) - twos(p))*alpha + "
        "(is_power_of_two(p) ? 1 : 2.5)*min((p-1)*largest, ceil(lg(p))*n)*beta",
    .within = 1.5,
    .write = write,
    .published = "ceil(lg(p))*alpha + (p-1)/p*n*beta",
    .difference = "for powers of two; otherwise 4.1.1 only bounds the rounds, by 2*floor(lg(p))",
};

}  // namespace tutti::catalog::allgather
