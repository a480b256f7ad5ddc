// Digit elimination allreduce, any radix: reduce-scatter and allgather (shared/ALGORITHMS.md,
// section 3).
//
// Both move p-1 blocks with any radix. With a larger one messages of a turn overlap, and there are
// fewer turns: for messages of middling length, where latency still counts.
#include "algorithms/digits.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_scatter_digits(call, me, call.output_block(me), out);
  phase::allgather_digits(
      call, me, [&](Rank v) { return call.output_block(v); }, out);
}

constexpr Algorithm digits{
    .collective = Collective::allreduce,
    .name = "digits",
    .summary = "reduce-scatter and allgather in rounds for the digits of the distance",
    .source = "ALGORITHMS.md 3",
    .requires_ = {.commutative = true, .divisible = true},
    .rounds = "2*digit_rounds(p, radix)",
    .cost =
        "2*(digit_rounds(p, radix)*alpha + (p-1)/p*n*beta)"
        " + digit_combining(p, radix, n/p, alpha, beta, gamma)",
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::allreduce
