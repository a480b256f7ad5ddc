// 123-doubling exclusive scan, operand order kept (Traeff; shared/ALGORITHMS.md, section 8).
//
// Distances 1, 2, 3, 6, 12, ...: the second round sends prefix op own vector, later ones only the
// prefix. One combination fewer on the last rank, and often one round fewer, than doubling.
#include "algorithms/registry.hpp"

namespace tutti::catalog::exscan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  if (call.p == 1) return;
  const Slice own = call.input(me);
  const Slice prefix = out.apart(call.output(me), {own});
  Round first = out.round();
  if (me + 1 < call.p) first.send(own, me + 1);
  if (me >= 1) first.recv(prefix, me - 1);
  const auto prepend_from = [&](Round& round, Rank peer) {
    const Slice received = out.scratch(call.n());
    round.recv(received, peer);
    out.reduce(received, prefix, prefix);
  };
  if (call.p > 2) {
    Round round = out.round();
    if (me + 2 < call.p) {
      const Slice inclusive = me == 0 ? own : out.scratch(call.n());
      if (me > 0) out.reduce(prefix, own, inclusive);
      round.send(inclusive, me + 2);
    }
    if (me >= 2) prepend_from(round, me - 2);
  }
  for (int distance = 3; distance < call.p - 1; distance *= 2) {
    Round round = out.round();
    if (me > 0 && me + distance < call.p) round.send(prefix, me + distance);
    if (me > distance) prepend_from(round, me - distance);
  }
  if (me > 0) out.copy(prefix, call.output(me));
}

constexpr Algorithm doubling_123{
    .collective = Collective::exscan,
    .name = "doubling_123",
    .summary = "exclusive prefixes over distances 1, 2, 3, 6, 12, ...",
    .source = "Traeff; ALGORITHMS.md 8",
    .rounds = "ceil(lg((p-1)*4/3))",
    .cost = "ceil(lg((p-1)*4/3))*(alpha + n*beta) + (p < 4 ? p-2 : ceil(lg((p-1)*4/3)))*n*gamma",
    .within = 1.2,
    .write = write,
};

}  // namespace tutti::catalog::exscan
