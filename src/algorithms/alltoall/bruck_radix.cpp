// Radix-r Bruck all-to-all without rotations (Fan et al. 2022; shared/ALGORITHMS.md, section 10).
//
// The block for rank me+d makes a hop for every digit of d that is not zero. Wherever it is, its
// place is that of the block from rank me-d in the output, where its last hop ends. Its first hop
// starts in the input. Only what is forwarded is copied, once, to be sent in one piece. A radix of
// 2 takes fewest rounds, one of p sends every block once, and about sqrt(p) is best in between.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"
#include "topology/digits.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto input = phase::kept_input(call, me, out);
  out.copy(call.input_block(me), call.output_block(me));
  const std::vector<DigitStep> steps = digit_steps(call.p, call.parameter);
  int most_forwarded = 0;
  for (const DigitStep& step : steps) {
    if (step.weight > 1) most_forwarded = std::max(most_forwarded, offsets_moved(call.p, step));
  }
  const Slice packed = out.scratch(most_forwarded * call.block_size(0));
  std::vector<Slice> at;  // by offset
  for (int d = 0; d < call.p; ++d) at.push_back(input(me + d));
  for (const DigitStep& step : steps) {
    Slices leaving, arriving;
    for (int d = step.distance(); d < call.p; ++d) {
      if (!step.moves(d)) continue;
      leaving.push_back(at[static_cast<std::size_t>(d)]);
      arriving.push_back(call.output_block(me - d));
      at[static_cast<std::size_t>(d)] = arriving.back();
    }
    if (step.weight > 1 && !as_one(leaving)) {
      const Slice together = part(packed, 0, size_of(leaving));
      out.copy(leaving, {together});
      leaving = {together};
    }
    Round round = out.round();
    round.send(leaving, me + step.distance());
    round.recv(arriving, me - step.distance());
  }
}

constexpr Algorithm bruck_radix{
    .collective = Collective::alltoall,
    .name = "bruck_radix",
    .summary = "blocks hop once for each digit of their distance, uncopied",
    .source = "Fan2022 3; ALGORITHMS.md 10",
    .rounds = "digit_rounds(p, radix)",
    .cost = "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, alpha, n/p*beta)"},
};

}  // namespace tutti::catalog::alltoall
