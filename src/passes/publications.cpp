#include "passes/publications.hpp"

#include <algorithm>

namespace tutti {

std::vector<std::uint32_t> publications(const Schedule& schedule) {
  std::vector<std::uint32_t> found(schedule.steps.size(), 0);
  std::uint32_t first = 0;  // of the sends that the next may belong to, counted from 1; 0: of none
  Places places;
  for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    if (step.kind != Kind::send) {
      if (first > 0 && overlap(written(step, schedule.slices), places)) first = 0;
      continue;
    }
    const Places own = touched(step, schedule.slices);
    if (first > 0 && std::ranges::equal(own, places)) {
      found[i] = found[first - 1] = first;
    } else {
      first = i + 1;
      places = own;
    }
  }
  return found;
}

}  // namespace tutti
