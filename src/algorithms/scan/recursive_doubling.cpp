// Recursive doubling scan, operand order kept (Hillis and Steele, CACM 1986).
//
// Before round k a rank holds the product of the 2^k ranks that end with itself; it sends that to
// rank+2^k and puts what rank-2^k sends in front of it.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  int combinations = 0;
  for (int distance = 1; distance <= me; distance *= 2) ++combinations;
  phase::Running running(call.input(me), call.output(me), combinations, out);
  for (int distance = 1; distance < call.p; distance *= 2) {
    Round round = out.round();
    if (me + distance < call.p) round.send(running.value(), me + distance);
    if (me >= distance) running.receive_left(round, me - distance);
  }
  running.settle();
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::scan,
    .name = "recursive_doubling",
    .summary = "prefixes over doubling distances",
    .source = "Hillis and Steele, CACM 1986",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta + n*gamma)",
    .within = 1.4,
    .write = write,
};

}  // namespace tutti::catalog::scan
