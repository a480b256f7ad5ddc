// Radix-r Bruck all-to-all without rotations (Fan et al. 2022; shared/ALGORITHMS.md, section 10).
//
// The block for rank me+d makes a hop for every digit of d that is not zero. Wherever it is, its
// place is that of the block from rank me-d in the output, where its last hop ends. Its first hop
// starts in the input. Only what is forwarded is copied, once, to be sent in one piece. A radix of
// 2 takes fewest rounds, one of p sends every block once, and about sqrt(p) is best in between.
#include "algorithms/digits.hpp"
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto input = phase::kept_input(call, me, out);
  out.copy(call.input_block(me), call.output_block(me));
  phase::digit_hops(
      call, me, [&](int d) { return input(me + d); },
      [&](int d, Rank) { return call.output_block(me - d); }, out);
}

constexpr Algorithm bruck_radix{
    .collective = Collective::alltoall,
    .name = "bruck_radix",
    .summary = "blocks hop once for each digit of their distance, never rotated",
    .source = "Fan2022 3; ALGORITHMS.md 10",
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta - "
        "digit_hidden(p, radix, n/p, alpha, beta, 2)",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, n/p, alpha, beta, 2)"},
};

}  // namespace tutti::catalog::alltoall
