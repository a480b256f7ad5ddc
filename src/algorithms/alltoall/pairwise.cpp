// Pairwise exchange all-to-all (Thakur2005, 4.3).
//
// In round k every rank exchanges with rank XOR k if p is a power of two, otherwise it sends to
// rank+k and receives from rank-k; the next round starts when both are done.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(call.p));
  const auto input = phase::kept_input(call, me, out);
  out.pace(Pace::round_by_round);
  out.copy(call.input_block(me), call.output_block(me));
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    const Rank to = power_of_two ? me ^ k : me + k;
    const Rank from = power_of_two ? me ^ k : me - k;
    round.send(input(to), to);
    round.recv(call.output_block(from), from);
  }
}

constexpr Algorithm pairwise{
    .collective = Collective::alltoall,
    .name = "pairwise",
    .summary = "one partner at a time",
    .source = "Thakur2005 4.3",
    .rounds = "p - 1",
    .cost = "(p-1)*alpha + (p-1)/p*n*beta",
    .write = write,
    .published = "(p-1)*alpha + n*beta",
    .difference = "counts the block a rank keeps",
};

}  // namespace tutti::catalog::alltoall
