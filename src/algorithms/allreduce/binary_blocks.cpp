// Binary blocks allreduce (Thakur2005, 5.2 and figure 13).
//
// The ranks form blocks of powers of two that halve and double their vectors as Rabenseifner's
// algorithm does, and hand parts from block to block: no rank gives a whole vector away. The nearer
// the blocks' sizes, the better.
#include "algorithms/binary_blocks.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::BlocksCall blocks(call, me, out);
  phase::Halving state = blocks.start(call.output(me));
  blocks.reduce(state);
  blocks.allgather(state);
}

constexpr Algorithm binary_blocks{
    .collective = Collective::allreduce,
    .name = "binary_blocks",
    .summary = "blocks of powers of two halve and double, and hand parts to each other",
    .source = "Thakur2005 5.2",
    .requires_ = {.divisible = true},
    .rounds = "merge_rounds(p) + floor(lg(p)) + (bits(p) > 1 ? bits(p) : 0)",
    // 0.3 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "bits(p) == 1 ? 2*lg(p)*alpha + (p-1)/p*n*(2*beta + gamma)"
        " : (2*floor(lg(p)) + 3)*alpha + (merge_rounds(p) - floor(lg(p)) + bits(p) - 3)*alpha_uni"
        " + 2*(1 - 1/2^floor(lg(p)))*n*beta + (0.3 + (3 - 4/2^bits(p))/2^twos(p))*n*beta_uni"
        " + (1 + (1/2 - 2/2^bits(p))/2^twos(p))*n*gamma",
    .within = 1.5,
    .write = write,
};

}  // namespace tutti::catalog::allreduce
