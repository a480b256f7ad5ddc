// Census allreduce (Traeff; shared/ALGORITHMS.md, section 9): ceil(lg p) rounds for any p.
//
// A rank holds the sum of some ranks before it, its own operand left out. In every round that
// window doubles, with or without the own operand at its front, as the next bit of p-1 says. Ranks
// add in different cyclic orders, so the operator must not care, not even in the last bit.
#include "algorithms/registry.hpp"
#include "topology/logarithm.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice own = call.input(me);
  if (call.p == 1) return out.copy(own, call.output(me));
  const Slice landing = out.scratch(call.n()), with_own = out.scratch(call.n());
  Slice others{};  // the sum of the `window` ranks before this one; none yet
  int window = 0;
  for (int bit = 1 << (ceil_lg(call.p) - 1); bit > 0; bit /= 2) {
    const bool includes_own = ((call.p - 1) & bit) != 0;
    Slice sent = includes_own ? own : others;
    if (includes_own && window > 0) {
      out.reduce(others, own, with_own);
      sent = with_own;
    }
    const int distance = window + (includes_own ? 1 : 0);
    Round round = out.round();
    round.send(sent, me + distance);
    if (window == 0) {
      others = out.scratch(call.n());
      round.recv(others, me - distance);
    } else {
      round.recv(landing, me - distance);
      out.reduce(landing, others, others);
    }
    window = 2 * window + (includes_own ? 1 : 0);
  }
  out.reduce(others, own, call.output(me));
}

constexpr Algorithm census{
    .collective = Collective::allreduce,
    .name = "census",
    .summary = "sums of the ranks before double, in ceil(lg p) rounds for any p",
    .source = "Traeff; ALGORITHMS.md 9",
    .requires_ = {.commutative = true,
                  .also = {[](const Call& call) { return call.exact; },
                           "exact arithmetic (integers)"}},
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta + n*gamma) + (bits(p-1) - 1)*n*gamma",
    .write = write,
};

}  // namespace tutti::catalog::allreduce
