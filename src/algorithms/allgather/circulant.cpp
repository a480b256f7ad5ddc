// Circulant allgather (Traeff, arXiv 2410.14234): ceil(lg p) rounds and p-1 blocks, for any p.
//
// As in Bruck's algorithm ranks double what they have, but the last round takes what is missing
// over a distance that halves p: nothing is stored in another order than the output's.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  phase::allgather_circulant(call, me, out);
}

constexpr Algorithm circulant{
    .collective = Collective::allgather,
    .name = "circulant",
    .summary = "fewest bytes in ceil(lg p) rounds, for any p",
    .source = "Traeff, arXiv 2410.14234",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + min((p-1)*largest, ceil(lg(p))*n)*beta",
    .write = write,
};

}  // namespace tutti::catalog::allgather
