#include "passes/pairs.hpp"

#include <algorithm>

namespace tutti {

// Whether nothing but local work lies between step `first` and the first one that waits for
// `message`, from there on.
static bool is_next_awaited(const Schedule& schedule, std::uint32_t message, std::size_t first) {
  for (std::size_t i = first; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    const auto waits = std::span(schedule.waits).subspan(step.waits, step.wait_count);
    if (std::ranges::find(waits, message) != waits.end()) return true;
    if (step.is_message() || step.wait_count > 0) return false;
  }
  return true;
}

// Not one that was issued earlier, nor neighbours that may be of two strands.
Schedule pair_exchanges(Schedule schedule, Units short_to) {
  if (schedule.strands > 1) return schedule;
  const auto is_short = [&](const Step& step) { return schedule.size_of(step) <= short_to; };
  for (std::uint32_t i = 0; i + 1 < schedule.steps.size(); ++i) {
    Step& recv = schedule.steps[i];
    const Step& send = schedule.steps[i + 1];
    if (recv.kind != Kind::recv || send.kind != Kind::send || !is_short(recv) || !is_short(send)) {
      continue;
    }
    const bool is_free = send.wait_count == 0 && !send.joined && i + 1 != schedule.lead &&
                         (i == 0 || !schedule.steps[i - 1].joined);
    recv.joined = is_free && is_next_awaited(schedule, i, i + 2);
  }
  return schedule;
}

}  // namespace tutti
