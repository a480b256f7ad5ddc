// Binary blocks reduce (Thakur2005, 5.2).
//
// As the allreduce, but the parts of the result are gathered at the root from the largest block. A
// root outside that block takes the place of rank 0.
#include "algorithms/binary_blocks.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::BlocksCall blocks(call, me, out);
  phase::Halving state =
      blocks.start(call.has_output(me) ? call.output(me) : out.scratch(call.n()));
  blocks.reduce(state);
  blocks.gather(state);
}

constexpr Algorithm binary_blocks{
    .collective = Collective::reduce,
    .name = "binary_blocks",
    .summary = "blocks of powers of two halve, hand parts to each other, then a gather",
    .source = "Thakur2005 5.2",
    .requires_ = {.divisible = true},
    .rounds = "merge_rounds(p) + floor(lg(p))",
    .cost =
        "floor(lg(p))*alpha + merge_rounds(p)*alpha_uni + (bits(p) == 1"
        " ? (p-1)/p*n*(beta + beta_uni + gamma)"
        " : (1 - 1/2^floor(lg(p)))*n*beta + (1 + (3/2 - 2/2^bits(p))/2^twos(p))*n*beta_uni"
        " + (1 + (1/2 - 2/2^bits(p))/2^twos(p))*n*gamma)",
    .within = 1.5,
    .write = write,
};

}  // namespace tutti::catalog::reduce
