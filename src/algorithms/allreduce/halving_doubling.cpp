// Recursive halving and doubling allreduce (Thakur2005, 5.1 and figure 12).
//
// As Rabenseifner's, but of the first 2r ranks (r = p - 2^floor(lg p)) the two of a pair combine
// half a vector each before the even one gets both halves: the odd ones are folded away at half the
// computation and, on links that carry both directions at once, less time.
#include "algorithms/halving.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p, PairFold::Host::even);
  const phase::HalvingCall ranks{call, me, fold, out};
  phase::Halving state = ranks.start(call.output(me));
  ranks.fold_halves(state);
  ranks.reduce_scatter(state);
  ranks.allgather(state);
  ranks.unfold();
}

constexpr Algorithm halving_doubling{
    .collective = Collective::allreduce,
    .name = "halving_doubling",
    .summary = "halves over doubling distances and back; other ranks share a first halving",
    .source = "Thakur2005 5.1",
    .requires_ = {.divisible = true},
    .rounds = "2*floor(lg(p)) + (is_power_of_two(p) ? 0 : 3)",
    // 1.3 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "is_power_of_two(p) ? 2*lg(p)*alpha + (p-1)/p*n*(2*beta + gamma)"
        " : 1.3*((2*floor(lg(p)) + 1)*alpha + 2*alpha_uni + n/2*beta + 3/2*n*beta_uni + n/2*gamma"
        " + (1 - 1/2^floor(lg(p)))*n*(2*beta + gamma))",
    .within = 1.3,
    .write = write,
    .published =
        "is_power_of_two(p) ? 2*lg(p)*alpha + 2*n*beta + n*gamma - 1/p*(2*n*beta + n*gamma)"
        " : (2*floor(lg(p)) + 1)*alpha + 2*alpha_uni + 2*n*beta + (n*beta + 3*n*beta_uni)/2"
        " + 3/2*n*gamma - 1/2^floor(lg(p))*(2*n*beta + n*gamma)",
    .difference = "for powers of two; otherwise it lets no early message hold up a late one",
};

}  // namespace tutti::catalog::allreduce
