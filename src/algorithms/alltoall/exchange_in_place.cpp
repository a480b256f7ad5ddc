// All-to-all in place: pairs exchange blocks (Thakur2005, 4.3).
//
// In round k rank i meets rank i XOR k if p is a power of two, otherwise rank k-i: a pair either
// way, so no more than two blocks are ever kept aside. A rank that would meet itself rests.
#include "algorithms/registry.hpp"
#include "topology/logarithm.hpp"

namespace tutti::catalog::alltoall {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(call.p));
  Units largest = 0;
  for (Rank v = 0; v < call.p; ++v) largest = std::max(largest, call.block_size(v));
  const Slice aside[] = {out.scratch(largest), out.scratch(largest)};
  out.pace(Pace::round_by_round);
  for (int k = power_of_two; k < call.p; ++k) {
    Round round = out.round();
    const Rank peer = power_of_two ? me ^ k : k - me + (k < me ? call.p : 0);
    if (peer == me) continue;
    const Slice received = part(aside[k % 2], 0, call.block_size(peer));
    round.send(call.output_block(peer), peer);
    round.recv(received, peer);
    out.copy(received, call.output_block(peer));
  }
}

constexpr Algorithm exchange_in_place{
    .collective = Collective::alltoall,
    .name = "exchange_in_place",
    .summary = "pairs exchange blocks, one pair at a time",
    .source = "Thakur2005 4.3",
    .requires_ = {.also = {[](const Call& call) { return call.in_place; }, "a call in place"}},
    .rounds = "is_power_of_two(p) ? p - 1 : p",
    .cost = "(is_power_of_two(p) ? p - 1 : p)*(alpha + n/p*beta)",
    .write = write,
};

}  // namespace tutti::catalog::alltoall
