// Recursive doubling scan, any radix, operand order kept (Hillis and Steele, CACM 1986).
//
// Before turn k a rank holds the product of the r^k ranks that end with itself; it sends that to
// the ranks at distances r^k, 2 r^k, ... and puts what others send in front of it. With a larger
// radix more of its messages overlap.
#include "algorithms/digits.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/running.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<DigitStep> steps = digit_steps(call.p, call.parameter);
  const auto receives = [&](const DigitStep& step) { return me >= step.distance(); };
  const auto combinations = static_cast<int>(std::ranges::count_if(steps, receives));
  phase::Running running(call, call.input(me), call.output(me), combinations, out,
                         call.parameter - 1);
  const auto send = [&](Round& round, const DigitStep& step) {
    const Rank to = me + step.distance();
    if (to < call.p) round.send(running.value(), to);
  };
  const auto receive = [&](Round& round, const DigitStep& step) {
    if (receives(step)) running.receive_left(round, me - step.distance());
  };
  phase::digit_turns(call, send, receive, out);
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
