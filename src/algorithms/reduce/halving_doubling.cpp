// Recursive halving reduce (Thakur2005, 5.1): halving, then a binomial gather.
//
// As Rabenseifner's, but of the first 2r ranks (r = p - 2^floor(lg p)) the two of a pair combine
// half a vector each before one of them, the even one or the root, gets both halves.
#include "algorithms/halving.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p, PairFold::Host::even, call.virtual_root());
  const phase::HalvingCall ranks{call, me, fold, out};
  phase::Halving state = ranks.start(call.has_output(me) ? call.output(me) : out.scratch(call.n()));
  ranks.fold_halves(state);
  ranks.reduce_scatter(state);
  ranks.gather(state);
}

constexpr Algorithm halving_doubling{
    .collective = Collective::reduce,
    .name = "halving_doubling",
    .summary = "halves over doubling distances, then a gather; other ranks share a first halving",
    .source = "Thakur2005 5.1",
    .requires_ = {.divisible = true},
    .rounds = "2*floor(lg(p)) + (is_power_of_two(p) ? 0 : 2)",
    // 1.5 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "is_power_of_two(p)"
        " ? lg(p)*(alpha + alpha_uni) + (p-1)/p*n*(beta + beta_uni + gamma)"
        " : (floor(lg(p)) + 1)*(1.5*alpha + alpha_uni)"
        " + (3/2 - 1/2^floor(lg(p)))*n*(1.5*beta + beta_uni + gamma)",
    .within = 1.4,
    .write = write,
    .published =
        "is_power_of_two(p)"
        " ? lg(p)*(alpha + alpha_uni) + n*(beta + beta_uni + gamma) - 1/p*n*(beta + beta_uni + "
        "gamma)"
        " : floor(lg(p))*(alpha + alpha_uni) + alpha + alpha_uni"
        " + n*beta + (n*beta + n*beta_uni)/2 + n*beta_uni + 3/2*n*gamma"
        " - 1/2^floor(lg(p))*n*(beta + beta_uni + gamma)",
    .difference = "for powers of two; otherwise it lets no early message hold up a late one",
};

}  // namespace tutti::catalog::reduce
