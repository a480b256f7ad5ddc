// Bruck allgather (Thakur2005, 4.1.2), without the final shift.
//
// In each round every rank sends all it has to a rank twice as far away as before, so what it has
// doubles. Blocks are received where they belong: a message has two pieces where they wrap around.
#include "algorithms/registry.hpp"

namespace tutti::catalog::allgather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  for (int held = 1; held < call.p; held *= 2) {
    Round round = out.round();
    const int count = std::min(held, call.p - held);
    round.send(call.output_blocks(me, count), me - held);
    round.recv(call.output_blocks(me + held, count), me + held);
  }
}

constexpr Algorithm bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .summary = "what a rank holds doubles each round, for any p",
    .source = "Thakur2005 4.1.2",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + min((p-1)*largest, ceil(lg(p))*n)*beta",
    .write = write,
};

}  // namespace tutti::catalog::allgather
