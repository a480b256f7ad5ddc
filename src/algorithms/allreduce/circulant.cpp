// Circulant allreduce (Traeff, arXiv 2410.14234): reduce-scatter and allgather on one graph.
//
// The vector is cut into p blocks; q = ceil(lg p) rounds bring each block's contributions together
// at one rank, q more bring the results to all. No fewer bytes are possible, for any p, and every
// rank gets the same bits.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

constexpr Algorithm circulant{
    .collective = Collective::allreduce,
    .name = "circulant",
    .summary = "fewest bytes in 2 ceil(lg p) rounds, for any p",
    .source = "Traeff, arXiv 2410.14234",
    .requires_ = {.commutative = true, .divisible = true},
    .rounds = "2*ceil(lg(p))",
    .cost = "2*ceil(lg(p))*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma",
    .write = phase::allreduce_circulant,
};

}  // namespace tutti::catalog::allreduce
