// Neighbour exchange allgather (Chen and others, HPC Asia 2005).
//
// Pairs of ranks exchange what they received last with their left and right neighbours by turns:
// first their own block, then two at a time. As many bytes as around a ring, in half the rounds;
// of these only every second crosses from one node to the next.
#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

// In ranks from its own, how far away the two blocks are that an odd rank receives in round k
// (after round 0 it has its own two); an even rank's are as far on the other side.
static constexpr int away(int k) { return k % 2 == 1 ? k + 1 : -k; }

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  const int side = me % 2 == 1 ? 1 : -1;
  const auto pair = [&](int k) {
    return call.output_blocks(call.wrapped(me - me % 2 + side * away(k)), 2);
  };
  for (int k = 0; k < call.p / 2; ++k) {
    const Rank peer = call.wrapped(k % 2 == 1 ? me + side : me - side);
    Round round = out.round();
    if (k == 0) {
      round.send(call.output_block(me), peer);
      round.recv(call.output_block(peer), peer);
    } else {
      round.send(pair(k - 1), peer);
      round.recv(pair(k), peer);
    }
  }
}

constexpr Algorithm neighbour_exchange{
    .collective = Collective::allgather,
    .name = "neighbour_exchange",
    .summary = "two blocks at a time, with the left and the right neighbour by turns",
    .source = "Chen2005",
    .requires_ = {.also = {[](const Call& call) { return call.p % 2 == 0; }, "p even"}},
    .rounds = "p/2",
    .cost = "p/2*alpha + (p-1)*largest*beta",
    .write = write,
};

}  // namespace tutti::catalog::allgather
