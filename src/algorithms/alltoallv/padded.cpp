// Padded Bruck for irregular all-to-all (Fan et al. 2022, 4): every block as long as the largest.
//
// As the regular algorithm (shared/ALGORITHMS.md, section 10), in slots of one size, whose rest is
// padding. Nobody has to know the size of a block that is not for it, so there is one phase; it
// pays where blocks are short or much alike.
#include "algorithms/registry.hpp"
#include "topology/digits.hpp"

namespace tutti::catalog::alltoallv {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Units size = call.agreed->largest;
  const Slice slots = out.blank(call.p * size);
  const Slice room = out.scratch(call.p * size);
  const auto slot = [&](int d) { return part(slots, d * size, size); };
  for (int d = 1; d < call.p; ++d) {
    const Slice block = call.input_block(me + d);
    out.copy(block, part(slot(d), 0, block.size));
  }
  out.copy(call.input_block(me), call.output_block(me));
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    Slices moving;
    for (const int d : moved_offsets(call.p, step)) moving.push_back(slot(d));
    const Slice together = part(room, 0, size_of(moving));
    out.copy(moving, {together});
    Round round = out.round();
    round.send(together, me + step.distance());
    round.recv(moving, me - step.distance());
  }
  for (int d = 1; d < call.p; ++d) {
    const Slice block = call.output_block(me - d);
    out.copy(part(slot(d), 0, block.size), block);
  }
}

constexpr Algorithm padded{
    .collective = Collective::alltoallv,
    .name = "padded",
    .summary = "blocks, all as long as the largest, hop once for each digit of their distance",
    .source = "Fan2022 4; ALGORITHMS.md 10",
    .requires_ = {.agreement = true},
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)*largest*beta - "
        "digit_hidden(p, radix, largest, alpha, beta, 2)",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, largest, alpha, beta, 2)"},
};

}  // namespace tutti::catalog::alltoallv
