// Digit elimination reduce, any radix: reduce-scatter (shared/ALGORITHMS.md, section 3), then the
// blocks go up a postal tree.
//
// With a larger radix more messages overlap in both: for messages of middling length, where latency
// still counts.
#include "algorithms/digits.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PostalTree tree(call.p, call.parameter);
  const int count = tree.place(me).count;
  const Slice held =
      call.has_output(me) ? call.output(me) : out.scratch(call.blocks_size(me, count));
  const auto at = [&](Rank v, int blocks) {
    return part(held, call.blocks_size(me, v - me), call.blocks_size(v, blocks));
  };
  phase::reduce_scatter_digits(call, me, at(me, 1), out);
  phase::blocks_up(
      tree, me, [&](Rank v, int blocks) { return Slices{at(v, blocks)}; }, out);
}

constexpr Algorithm digits{
    .collective = Collective::reduce,
    .name = "digits",
    .summary = "reduce-scatter in rounds for the digits of the distance, then a postal gather",
    .source = "ALGORITHMS.md 3; Bar-Noy1994",
    .requires_ = {.commutative = true},
    .rounds = "digit_rounds(p, radix) + postal_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + (p-1)/p*n*(beta + gamma)"
        " + postal_time(p, radix, 0, n/p, alpha_uni, beta_uni, 0)",
    .within = 1.3,
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::reduce
