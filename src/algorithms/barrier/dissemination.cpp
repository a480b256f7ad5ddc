// Dissemination barrier (Thakur2005, 4.1.2, after Hensgen, Finkel and Manber).
//
// In round k every rank tells rank+2^k that all it has heard from have arrived. After ceil(lg p)
// rounds everyone has heard from everyone.
#include "algorithms/registry.hpp"

namespace tutti::catalog::barrier {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::round_by_round);
  for (int distance = 1; distance < call.p; distance *= 2) {
    Round round = out.round();
    round.signal(me + distance);
    round.await(me - distance);
  }
}

constexpr Algorithm dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .summary = "every rank hears of all others in ceil(lg p) rounds",
    .source = "Thakur2005 4.1.2",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha",
    .write = write,
};

}  // namespace tutti::catalog::barrier
