// Modified Bruck all-to-all, any radix (Traeff, Rougier, Hunold 2014; Fan et al. 2022).
//
// The first rotation puts the block for rank me+d where the one from rank me-d will be in the
// output. Blocks hop for the digits of d from there to the same place of another rank, so nothing
// is rotated at the end.
#include "algorithms/digits.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

// Blocks me+d and me-d trade places. If they do so in the same memory, one is left aside until it
// leaves. Returns where each is, by offset.
static std::vector<Slice> rotate(const Call& call, Rank me, ScheduleBuilder& out) {
  std::vector<Slice> at;
  at.reserve(static_cast<std::size_t>(call.p));
  for (int d = 0; d < call.p; ++d) at.push_back(call.output_block(me - d));
  for (int d = 0; 2 * d <= call.p; ++d) {
    const Slice one = call.input_block(me + d), other = call.input_block(me - d);
    const Slice aside = one == other ? other : out.apart(other, {at[d]});
    out.copy(other, aside);
    out.copy(one, at[d]);
    if (aside == one) continue;
    Slice& opposite = at[call.p - d];
    if (aside == other) {
      out.copy(other, opposite);
    } else {
      opposite = aside;
    }
  }
  return at;
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<Slice> rotated = rotate(call, me, out);
  phase::digit_hops(
      call, me, [&](int d) { return rotated[d]; },
      [&](int d, Rank) { return call.output_block(me - d); }, out);
}

constexpr Algorithm bruck_modified{
    .collective = Collective::alltoall,
    .name = "bruck_modified",
    .summary = "blocks hop once for each digit of their distance, after one rotation",
    .source = "Fan2022 1, 3",
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta - "
        "digit_hidden(p, radix, n/p, alpha, beta, 2)",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, n/p, alpha, beta, 2)"},
};

}  // namespace tutti::catalog::alltoall
