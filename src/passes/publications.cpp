#include "passes/publications.hpp"

#include <algorithm>
#include <optional>

namespace tutti {

std::vector<std::uint32_t> publications(const Schedule& schedule) {
  std::vector<std::uint32_t> found(schedule.steps.size(), 0);
  std::optional<std::uint32_t> first;  // of the sends that the next may belong to
  Places places;
  for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    if (step.kind != Kind::send) {
      if (first && overlap(written(step, schedule.slices), places)) first.reset();
      continue;
    }
    const Places own = touched(step, schedule.slices);
    if (first && std::ranges::equal(own, places)) {
      found[i] = found[*first] = *first + 1;
    } else {
      first = i;
      places = own;
    }
  }
  return found;
}

}  // namespace tutti
