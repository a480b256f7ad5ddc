// Rabenseifner's allreduce (Thakur2005, 4.5): reduce-scatter, then allgather.
//
// Of the first 2r ranks (r = p - 2^floor(lg p)) the even ones give their vector to the odd one
// beside them, and get the result from it at the end. The others halve their vectors over doubling
// distances, and double them going back. Everything travels about twice: for long messages.
#include "algorithms/halving.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p);
  const phase::HalvingCall ranks{call, me, fold, out};
  phase::Halving state = ranks.start(call.output(me));
  ranks.fold_vectors(state);
  ranks.reduce_scatter(state);
  ranks.allgather(state);
  ranks.unfold();
}

constexpr Algorithm rabenseifner{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .summary = "halves over doubling distances and back; other ranks give their vector to a host",
    .source = "Thakur2005 4.5",
    .requires_ = {.divisible = true},
    .rounds = "2*floor(lg(p)) + (is_power_of_two(p) ? 0 : 2)",
    // 1.25 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "is_power_of_two(p) ? 2*lg(p)*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma"
        " : 1.25*(2*floor(lg(p))*alpha + 2*alpha_uni + 2*n*beta_uni + n*gamma"
        " + (1 - 1/2^floor(lg(p)))*n*(2*beta + gamma))",
    .within = 1.3,
    .write = write,
    .published = "2*lg(p)*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma",
    .difference = "for powers of two; otherwise without the two rounds that fold and unfold ranks",
};

}  // namespace tutti::catalog::allreduce
