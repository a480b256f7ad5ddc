#include "verify/mutate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti {

const char* to_string(Mutation mutation) {
  switch (mutation) {
    case Mutation::delete_step:
      return "delete a step";
    case Mutation::redirect_peer:
      return "redirect a peer";
    case Mutation::shift_slice:
      return "shift a slice";
    case Mutation::swap_operands:
      return "swap operands";
    case Mutation::change_size:
      return "change a size";
    case Mutation::another_order:
      return "combine in another order";
  }
  return "?";
}

namespace {

// Nobody looks at what is there.
bool is_blank(const Schedule& schedule, const Step& step) {
  const auto places = touched(step, schedule.slices);
  return !places.empty() && std::ranges::all_of(places, [&](const Slice& place) {
    return std::ranges::any_of(schedule.blank, [&](const Slice& blank) {
      return blank.offset <= place.offset && place.end() <= blank.end() &&
             blank.buffer == place.buffer;
    });
  });
}

// The next step combines in the same way, and as much.
bool goes_on(const Schedule& schedule, const Step& step) {
  const Step* const next = &step + 1;
  return next != schedule.steps.data() + schedule.steps.size() && step.reduces() &&
         next->kind == step.kind && schedule.size_of(step) == schedule.size_of(*next);
}

bool applies(const Schedule& schedule, const Step& step, Mutation mutation, std::size_t p) {
  switch (mutation) {
    case Mutation::delete_step:
      return true;
    case Mutation::redirect_peer:
      return step.is_message() && p > 2;
    case Mutation::shift_slice:
      return step.pieces > 0 && !is_blank(schedule, step);
    case Mutation::change_size:
      return step.pieces > 0;
    case Mutation::swap_operands:
      return step.reduces();
    case Mutation::another_order:
      return goes_on(schedule, step);
  }
  return false;
}

std::size_t below(std::size_t bound, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

// A deleted step becomes one that does nothing, so that the others keep their numbers.
void remove(Schedule& schedule, Step& step) {
  step.kind = Kind::copy;
  step.slices = static_cast<std::uint32_t>(schedule.slices.size());
  step.pieces = 2;
  schedule.slices.resize(schedule.slices.size() + 2);
}

void redirect(Step& step, Rank rank, std::size_t p, std::mt19937_64& random) {
  const Rank before = step.peer;
  while (step.peer == before || step.peer == rank) {
    step.peer = static_cast<Rank>(below(p, random));
  }
}

// Of (a op b) op c, a op (b op c), if a is still there; otherwise two reductions exchange what is
// on the right, or what they receive. What both wait for the first now waits for.
void reorder(Schedule& schedule, Step& step) {
  Step& next = *(&step + 1);
  if (step.is_message()) {
    std::swap(step.peer, next.peer);
    std::swap(step.tag, next.tag);
    std::swap(step.round, next.round);
    return;
  }
  Slice* const first = schedule.slices.data() + step.slices;
  Slice* const second = schedule.slices.data() + next.slices;
  if (second[0] == first[2] && !overlap(first[0], first[2]) && !overlap(second[1], first[2])) {
    const Slice a = first[0], b = first[1], c = second[1], between = first[2];
    first[0] = b, first[1] = c;
    second[0] = a, second[1] = between;
  } else {
    std::swap(first[1], second[1]);
  }
  const std::vector<std::uint32_t> before = schedule.waits;
  const auto begin = static_cast<std::uint32_t>(before.size());
  for (Step* each : {&step, &next}) {
    const auto from = before.begin() + each->waits;
    schedule.waits.insert(schedule.waits.end(), from, from + each->wait_count);
    each->wait_count = 0;
  }
  step.waits = begin;
  step.wait_count = static_cast<std::uint32_t>(schedule.waits.size()) - begin;
}

void damage(Schedule& schedule, std::uint32_t number, Rank rank, std::size_t p, Mutation mutation,
            std::mt19937_64& random) {
  Step& step = schedule.steps[number];
  const Units by = below(2, random) == 0 ? -1 : 1;
  const std::size_t piece = step.slices + (step.pieces > 0 ? below(step.pieces, random) : 0);
  switch (mutation) {
    case Mutation::delete_step:
      return remove(schedule, step);
    case Mutation::redirect_peer:
      return redirect(step, rank, p, random);
    case Mutation::shift_slice:
      schedule.slices[piece].offset += by;
      return;
    case Mutation::change_size:
      schedule.slices[piece].size += by;
      return;
    case Mutation::swap_operands:
      std::swap(schedule.slices[step.slices], schedule.slices[step.slices + 1]);
      return;
    case Mutation::another_order:
      return reorder(schedule, step);
  }
}

}  // namespace

std::optional<Mutant> mutate(const std::vector<Schedule>& schedules, Mutation mutation,
                             std::mt19937_64& random, const std::vector<StepAt>* steps) {
  const auto is_given = [&](std::size_t r, std::uint32_t i) {
    return steps == nullptr || std::ranges::binary_search(*steps, StepAt(static_cast<Rank>(r), i));
  };
  std::vector<std::pair<std::size_t, std::uint32_t>> places;
  for (std::size_t r = 0; r < schedules.size(); ++r) {
    for (std::uint32_t i = 0; i < schedules[r].steps.size(); ++i) {
      const Step& step = schedules[r].steps[i];
      if (is_given(r, i) && applies(schedules[r], step, mutation, schedules.size())) {
        places.emplace_back(r, i);
      }
    }
  }
  if (places.empty()) return std::nullopt;
  const auto [r, i] = places[below(places.size(), random)];
  const Rank rank = static_cast<Rank>(r);
  Mutant mutant{rank, i, schedules[r],
                fmt::format("{} at rank {}, step {}", to_string(mutation), r, i)};
  damage(mutant.schedule, i, rank, schedules.size(), mutation, random);
  return mutant;
}

}  // namespace tutti
