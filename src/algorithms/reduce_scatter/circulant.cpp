// Circulant reduce-scatter, blocks of any sizes (Traeff, arXiv 2410.14234).
//
// In q = ceil(lg p) rounds over halving distances each rank sends the partial results of p-1
// blocks, combines as many, and ends with its own. No fewer bytes are possible, for any p.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_scatter_circulant_to(call, me, call.output(me), out);
}

constexpr Algorithm circulant{
    .collective = Collective::reduce_scatter,
    .name = "circulant",
    .summary = "fewest bytes in ceil(lg p) rounds, for any p",
    .source = "Traeff, arXiv 2410.14234",
    .requires_ = {.commutative = true},
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + min((p-1)*largest, ceil(lg(p))*n)*(beta + gamma)",
    .write = write,
};

}  // namespace tutti::catalog::reduce_scatter
