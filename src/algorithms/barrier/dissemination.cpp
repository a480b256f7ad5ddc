// Dissemination barrier, any radix (Thakur2005, 4.1.2, after Hensgen, Finkel and Manber; with more
// messages at once, Hoefler et al., CCGrid 2006).
//
// In turn k every rank tells the r-1 ranks at distances r^k, 2 r^k, ... that all it has heard from
// have arrived. Each turn multiplies by r the ranks it has heard from; its messages overlap.
#include "algorithms/registry.hpp"
#include "topology/digits.hpp"

namespace tutti::catalog::barrier {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    // The first message of a turn waits for all of the last turn.
    out.pace(step.digit == 1 ? Pace::round_by_round : Pace::all_at_once);
    Round round = out.round();
    round.signal(me + step.distance());
    round.await(me - step.distance());
  }
}

constexpr Algorithm dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .summary = "every rank hears of all others, from radix-1 of them at a time",
    .source = "Thakur2005 4.1.2; Hoefler2006",
    .rounds = "digit_rounds(p, radix)",
    .cost = "digit_rounds(p, radix)*alpha",
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::barrier
