// Digit elimination reduce, any radix: reduce-scatter (shared/ALGORITHMS.md, section 3), then the
// blocks go up a postal tree.
//
// With a larger radix more messages overlap in both: for messages of middling length, where latency
// still counts.
#include "algorithms/digits.hpp"

#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PostalTree tree = phase::tree_of(call);
  const Units size = call.blocks_size(me, tree.place(me).count);
  const Slice held = call.has_output(me) ? call.output(me) : out.scratch(size);
  const auto at = [&](Rank v, int count) { return phase::among(held, call, me, v, count); };
  phase::reduce_scatter_digits(call, me, at(me, 1), out);
  phase::blocks_up(
      tree, me, [&](Rank v, int count) { return Slices{at(v, count)}; }, out);
}

constexpr Algorithm digits{
    .collective = Collective::reduce,
    .name = "digits",
    .summary = "reduce-scatter in rounds for the digits of the distance, then a postal gather",
    .source = "ALGORITHMS.md 3; Bar-Noy1994",
    .requires_ = {.commutative = true, .divisible = true},
    .rounds = "digit_rounds(p, radix) + postal_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + (p-1)/p*n*beta"
        " + digit_combining(p, radix, n/p, alpha, beta, gamma)"
        " + postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::reduce
