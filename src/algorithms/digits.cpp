#include "algorithms/digits.hpp"

#include <algorithm>
#include <functional>

namespace tutti::phase {

namespace {

struct Hop {
  int distance = 0;
  Slices leaving{}, arriving{};  // by offset, each as long as the other

  bool is_forwarding() const {
    const auto apart = [](const Slice& a, const Slice& b) { return !overlap(a, b); };
    return !in_one_buffer(leaving) || !std::ranges::equal(leaving, arriving, apart);
  }
};

}  // namespace

// A turn's messages are all needed before the next begins, so nobody waits for the first of them:
// together they hide each other's latency. Of many, some at a time: a receiver that many send to at
// once may lose what they send.
static void pace_by_turn(const Call& call, ScheduleBuilder& out) {
  constexpr int most_together = 8;
  out.pace(Pace::one_send, std::clamp(call.parameter - 1, 1, most_together));
}

static std::vector<Hop> hops(const Call& call, Rank me, const BlockAt& first, const KeptAt& kept) {
  std::vector<Slice> at(static_cast<std::size_t>(call.p));
  for (int d = 1; d < call.p; ++d) at[d] = first(d);
  std::vector<Hop> result;
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    Hop hop{.distance = step.distance()};
    for (const int d : moved_offsets(call.p, step)) {
      hop.leaving.push_back(at[d]);
      hop.arriving.push_back(at[d] = kept(d, call.wrapped(me - step.travelled(d))));
    }
    result.push_back(std::move(hop));
  }
  return result;
}

void digit_hops(const Call& call, Rank me, const BlockAt& first, const KeptAt& kept,
                ScheduleBuilder& out) {
  const std::vector<Hop> all = hops(call, me, first, kept);
  Units most_packed = 0;
  for (const Hop& hop : all) {
    if (hop.is_forwarding()) most_packed = std::max(most_packed, size_of(hop.leaving));
  }
  const Slice packed = out.scratch(most_packed);
  for (const Hop& hop : all) {
    const Slice together = part(packed, 0, hop.is_forwarding() ? size_of(hop.leaving) : 0);
    if (together.size > 0) out.copy(hop.leaving, {together});
    Round round = out.round();
    round.send(together.size > 0 ? Slices{together} : hop.leaving, me + hop.distance);
    round.recv(hop.arriving, me - hop.distance);
  }
}

void digit_turns(const Call& call, const InRound& send, const InRound& receive,
                 ScheduleBuilder& out) {
  pace_by_turn(call, out);
  const std::vector<DigitStep> steps = digit_steps(call.p, call.parameter);
  for (auto first = steps.begin(); first != steps.end();) {
    std::vector<Round> rounds;
    auto next = first;
    for (; next != steps.end() && next->weight == first->weight; ++next) {
      rounds.push_back(out.round());
      send(rounds.back(), *next);
    }
    for (Round& round : rounds) receive(round, *first++);
  }
}

void allgather_digits(const Call& call, Rank me, const std::function<Slice(Rank v)>& at,
                      ScheduleBuilder& out, BlocksHeld held) {
  pace_by_turn(call, out);
  std::vector<DigitStep> steps = digit_steps(call.p, call.parameter);
  // The farthest turn first; in each the nearest ranks, whose blocks the next turn needs first.
  std::ranges::stable_sort(steps, std::greater{}, &DigitStep::weight);
  for (const DigitStep& step : steps) {
    // What rank v gets.
    const auto blocks_for = [&](Rank v) {
      Slices blocks;
      const int first = held(call, call.wrapped(v));
      for (int d = step.distance(); d < call.p; d += step.weight * step.radix) {
        if (d >= first) blocks.push_back(at(v + d));
      }
      return blocks;
    };
    Round round = out.round();
    round.send(blocks_for(me - step.distance()), me - step.distance());
    round.recv(blocks_for(me), me + step.distance());
  }
}

}  // namespace tutti::phase
