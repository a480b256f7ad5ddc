// Bruck's index algorithm for all-to-all (Thakur2005, 4.3 and figure 7; any radix: Fan et al.
// 2022).
//
// Blocks are rotated so that slot d holds the one for rank me+d. All slots that have a digit in
// common travel its distance together; after the last digit slot d holds the block from rank me-d,
// and the rotation is undone. With radix 2, few rounds for up to lg p / 2 times the bytes: for very
// short messages.
#include "algorithms/digits.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Units size = call.block_size(0);
  const Slice slots = out.scratch(call.n() - size);  // the block that a rank keeps has none
  const auto slot = [&](int d) { return part(slots, (d - 1) * size, size); };
  out.copy(call.input_block(me), call.output_block(me));
  out.copy(call.input_blocks(me + 1, call.p - 1), {slots});
  phase::digit_hops(
      call, me, slot, [&](int d, Rank) { return slot(d); }, out);
  for (int d = 1; d < call.p; ++d) out.copy(slot(d), call.output_block(me - d));
}

constexpr Algorithm bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .summary = "blocks hop once for each digit of their distance, between two rotations",
    .source = "Thakur2005 4.3; Fan2022 2",
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta - "
        "digit_hidden(p, radix, n/p, alpha, beta, 2)",
    .write = write,
    .published = "ceil(lg(p))*alpha + (n/2*lg(p) + n/p*(p - 2^floor(lg(p))))*beta",
    .difference =
        "for powers of two and radix 2; otherwise it counts n/2 for each of lg(p) rounds, which "
        "carry less",
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::alltoall
