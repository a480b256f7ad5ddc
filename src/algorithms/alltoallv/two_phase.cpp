// Two-phase Bruck for irregular all-to-all (Fan et al. 2022, 4): sizes, then data.
//
// The block for rank me+d makes a hop for every digit of d that is not zero, as in the regular
// algorithm (shared/ALGORITHMS.md, section 10). No rank knows the sizes of blocks it passes on, so
// these take the same way first. A block that arrives where it belongs is known there: the last
// digit's hops need no sizes.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"
#include "topology/digits.hpp"

namespace tutti::catalog::alltoallv {

namespace {

// What arrives in the round is to be passed on.
std::vector<int> passed_on(const DigitStep& step, int p) {
  std::vector<int> offsets = moved_offsets(p, step);
  std::erase_if(offsets, [&](int d) { return step.ends(d); });
  return offsets;
}

std::vector<Pair> passing(const Call& call, Rank me) {
  std::vector<Pair> pairs;
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    for (const int d : passed_on(step, call.p)) {
      const Rank from = call.wrapped(me - step.travelled(d));
      pairs.push_back({from, call.wrapped(from + d)});
    }
  }
  return pairs;
}

// What is under way lies here and there; a message is to have one piece.
Slice packed(const Slices& pieces, ScheduleBuilder& out) {
  if (const auto one = as_one(pieces)) return *one;
  const Slice together = out.scratch(size_of(pieces));
  out.copy(pieces, {together});
  return together;
}

void ask(const Call& call, Rank me, ScheduleBuilder& out) {
  std::vector<Slice> at;  // the size of each offset's block
  at.reserve(static_cast<std::size_t>(call.p));
  for (int d = 0; d < call.p; ++d) at.push_back({Buffer::in, call.wrapped(me + d), 1});
  Units answers = 0;
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    const std::vector<int> offsets = passed_on(step, call.p);
    const Slice arriving{Buffer::out, answers, static_cast<Units>(offsets.size())};
    Slices leaving;
    for (const int d : offsets) {
      Slice& where = at[static_cast<std::size_t>(d)];
      leaving.push_back(where);
      where = {Buffer::out, answers++, 1};
    }
    if (step.weight > 1) leaving = {packed(leaving, out)};
    Round round = out.round();
    round.send(leaving, me + step.distance());
    round.recv(arriving, me - step.distance());
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto input = phase::kept_input(call, me, out);
  out.copy(call.input_block(me), call.output_block(me));
  std::vector<Slice> at;  // by offset
  at.reserve(static_cast<std::size_t>(call.p));
  for (int d = 0; d < call.p; ++d) at.push_back(input(me + d));
  auto answer = call.told.begin();
  for (const DigitStep& step : digit_steps(call.p, call.parameter)) {
    Slices leaving, ending;
    for (const int d : moved_offsets(call.p, step)) {
      leaving.push_back(at[static_cast<std::size_t>(d)]);
      if (step.ends(d)) ending.push_back(call.output_block(me - d));
    }
    // Those to be passed on have larger offsets than those that end: they come last.
    const std::vector<int> onwards = passed_on(step, call.p);
    Slices arriving = onwards.empty() ? ending : Slices{out.scratch(size_of(ending))};
    for (const int d : onwards) {
      arriving.push_back(out.scratch(*answer++));
      at[static_cast<std::size_t>(d)] = arriving.back();
    }
    if (step.weight > 1) leaving = {packed(leaving, out)};
    Round round = out.round();
    round.send(leaving, me + step.distance());
    round.recv(arriving, me - step.distance());
    if (!onwards.empty()) out.copy({arriving.front()}, ending);
  }
}

}  // namespace

constexpr Algorithm two_phase{
    .collective = Collective::alltoallv,
    .name = "two_phase",
    .summary = "blocks hop once for each digit of their distance, after their sizes",
    .source = "Fan2022 4; ALGORITHMS.md 10",
    .requires_ = {.agreement = true},
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta - "
        "digit_hidden(p, radix, n/p, alpha, beta, 2)",
    .write = write,
    .parameter = {Open::radix, "best_radix(p, n/p, alpha, beta, 2)"},
    .question = {passing, ask,
                 "passing_rounds(p, radix)*alpha + (digit_blocks(p, radix) - (p-1))*8*beta"},
};

}  // namespace tutti::catalog::alltoallv
