// Allgather, then every rank combines all operands itself: for short messages.
//
// Blocks travel as in the allgather `digits`, of any radix: its messages to several distances
// overlap, which partial results that wait for each other cannot. All ranks combine in the same
// order; where the operator commutes whole halves at a time, as one operand if it takes any length.
#include "algorithms/digits.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::allreduce {

// Of `count` operands that lie one after the other.
static void reduce_by_halves(const Slice& operands, int count, const Slice& result,
                             ScheduleBuilder& out) {
  const Units n = result.size;
  const auto some = [&](int first, int number) {
    Slices places;
    for (int i = first; i < first + number; ++i) places.push_back(part(operands, i * n, n));
    return places;
  };
  while (count > 2) {
    const int upper = count / 2;
    out.reduce(some(0, upper), some(count - upper, upper), some(0, upper));
    count -= upper;
  }
  out.reduce(part(operands, 0, n), part(operands, n, n), result);
}

static void reduce_in_order(const Slice& operands, int count, const Slice& result,
                            ScheduleBuilder& out) {
  const Units n = result.size;
  Slice value = part(operands, 0, n);
  for (int i = 1; i < count; ++i) {
    out.reduce(value, part(operands, i * n, n), result);
    value = result;
  }
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  if (call.p == 1) return out.copy(call.input(me), call.output(me));
  const Slice operands = out.scratch(call.p * call.n());
  const auto of = [&](Rank v) { return part(operands, call.wrapped(v) * call.n(), call.n()); };
  out.copy(call.input(me), of(me));
  phase::allgather_digits(call, me, of, out);
  const auto combine = call.commutative ? reduce_by_halves : reduce_in_order;
  combine(operands, call.p, call.output(me), out);
}

constexpr Algorithm allgather_reduce{
    .collective = Collective::allreduce,
    .name = "allgather_reduce",
    .summary = "all operands go to all ranks, which combine them",
    .source = "own; ALGORITHMS.md 3",
    .rounds = "digit_rounds(p, radix)",
    .cost = "digit_rounds(p, radix)*alpha + (p-1)*n*(beta + gamma)",
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::allreduce
