// Recursive doubling scan, any radix, operand order kept (Hillis and Steele, CACM 1986).
//
// Before turn k a rank holds the product of the r^k ranks that end with itself; it sends that to
// the ranks at distances r^k, 2 r^k, ... and puts what others send in front of it. With a larger
// radix more of its messages overlap.
#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"
#include "topology/digits.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<DigitStep> steps = digit_steps(call.p, call.parameter);
  const auto receives = [&](const DigitStep& step) { return me >= step.distance(); };
  const auto combinations = static_cast<int>(std::ranges::count_if(steps, receives));
  phase::Running running(call.input(me), call.output(me), combinations, out, call.parameter - 1);
  for (const auto& turn : turns(steps)) {
    std::vector<Round> rounds;
    for (const DigitStep& step : turn) {
      rounds.push_back(out.round());
      const Rank to = me + step.distance();
      if (to < call.p) rounds.back().send(running.value(), to);
    }
    for (std::size_t i = 0; i < turn.size(); ++i) {
      if (receives(turn[i])) running.receive_left(rounds[i], me - turn[i].distance());
    }
  }
  running.settle();
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::scan,
    .name = "recursive_doubling",
    .summary = "prefixes over distances that double, or grow by a radix",
    .source = "Hillis and Steele, CACM 1986",
    .rounds = "digit_rounds(p, radix)",
    .cost = "digit_rounds(p, radix)*(alpha + n*beta + n*gamma)",
    .within = 1.8,
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::scan
