// Digit elimination allgather, any radix (shared/ALGORITHMS.md, section 3). With radix 2 it is
// Sparbit (Loch and Koslovski, arXiv 2109.08751).
//
// Few blocks travel far, and most of them go to ranks near by. Every radix moves p-1 blocks; a
// larger one takes more rounds, with more of them independent.
#include "algorithms/digits.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  phase::allgather_digits(
      call, me, [&](Rank v) { return call.output_block(v); }, out);
}

constexpr Algorithm digits{
    .collective = Collective::allgather,
    .name = "digits",
    .summary = "most blocks to ranks near by, in rounds for the digits of their distance",
    .source = "Loch2021; ALGORITHMS.md 3",
    .rounds = "digit_rounds(p, radix)",
    .cost = "digit_rounds(p, radix)*alpha + min((p-1)*largest, digit_rounds(p, radix)*n)*beta",
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::allgather
