// Recursive doubling exclusive scan, any radix, operand order kept (after Hillis and Steele, CACM
// 1986).
//
// Before turn k a rank holds the product of the r^k - 1 ranks before it; it sends that, with its
// own operand behind it, to the ranks at distances r^k, 2 r^k, ... and puts what others send in
// front.
#include "algorithms/digits.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/running.hpp"

namespace tutti::catalog::exscan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<DigitStep> steps = digit_steps(call.p, call.parameter);
  const auto receives = [&](const DigitStep& step) { return me >= step.distance(); };
  const auto received = static_cast<int>(std::ranges::count_if(steps, receives));
  const Slice own = call.input(me);
  const Slice target = me == 0 ? own : out.apart(call.output(me), {own});
  const Slice first = received > 1 ? out.scratch(call.n()) : target;
  phase::Running prefix(call, first, target, received - 1, out, call.parameter - 1);
  Slice with_own = own;
  bool has_grown = false;  // the prefix, since it was last combined with the own operand
  const auto send = [&](Round& round, const DigitStep& step) {
    const Rank to = me + step.distance();
    if (to >= call.p) return;
    if (has_grown) {
      with_own = out.scratch(call.n());
      out.reduce(prefix.value(), own, with_own);
      has_grown = false;
    }
    round.send(with_own, to);
  };
  const auto receive = [&](Round& round, const DigitStep& step) {
    if (!receives(step)) return;
    const Rank from = me - step.distance();
    step.distance() == 1 ? round.recv(first, from) : prefix.receive_left(round, from);
    has_grown = true;
  };
  phase::digit_turns(call, send, receive, out);
  if (me == 0) return;
  prefix.settle();
  out.copy(target, call.output(me));
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::exscan,
    .name = "recursive_doubling",
    .summary = "exclusive prefixes over distances that double, or grow by a radix",
    .source = "after Hillis and Steele, CACM 1986",
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*(alpha + n*beta)"
        " + (p < 4 ? p-2 : digit_rounds(p, radix) + ceil(lg(p)/lg(radix)) - 2)*n*gamma",
    .within = 1.8,
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::exscan
