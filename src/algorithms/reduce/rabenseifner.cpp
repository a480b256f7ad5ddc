// Rabenseifner's reduce (Thakur2005, 4.5): reduce-scatter, then a binomial gather.
//
// Of the first 2r ranks (r = p - 2^floor(lg p)) one of each pair, never the root, gives its vector
// to the other. Those that stay halve their vectors over doubling distances; the parts of the
// result are gathered at the root, which gets everything once instead of lg p times: for long
// messages.
#include "algorithms/halving.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p, PairFold::Host::odd, call.virtual_root());
  const phase::HalvingCall ranks{call, me, fold, out};
  const bool needs_scratch = !call.has_output(me) && ranks.takes_part();
  phase::Halving state = ranks.start(needs_scratch ? out.scratch(call.n()) : call.output(me));
  ranks.fold_vectors(state);
  ranks.reduce_scatter(state);
  ranks.gather(state);
}

constexpr Algorithm rabenseifner{
    .collective = Collective::reduce,
    .name = "rabenseifner",
    .summary = "halves over doubling distances, then a binomial gather",
    .source = "Thakur2005 4.5",
    .requires_ = {.divisible = true},
    .rounds = "2*floor(lg(p)) + (is_power_of_two(p) ? 0 : 1)",
    // 1.2 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "is_power_of_two(p)"
        " ? lg(p)*(alpha + alpha_uni) + (p-1)/p*n*(beta + beta_uni + gamma)"
        " : 1.2*(floor(lg(p))*(alpha + alpha_uni) + alpha_uni + n*beta_uni + n*gamma"
        " + (1 - 1/2^floor(lg(p)))*n*(beta + beta_uni + gamma))",
    .within = 1.2,
    .write = write,
    .published = "2*lg(p)*alpha + 2*(p-1)/p*n*beta + (p-1)/p*n*gamma",
    .difference = "for powers of two; otherwise without the round that folds ranks",
};

}  // namespace tutti::catalog::reduce
