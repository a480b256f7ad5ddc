#include "select/outlook.hpp"

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"

namespace tutti {

// What was measured with just these ranks, at a size not twice as far; null if nothing was.
static const ProfilePoint* point_near(const Profile* profile, const Call& call) {
  const ProfileRun* run = profile != nullptr ? nearest_run(*profile, call) : nullptr;
  if (run == nullptr || run->p != call.p) return nullptr;
  const ProfilePoint* point = nearest_point(*run, call);
  if (point == nullptr) return nullptr;
  const bool near = point->bytes <= 2 * call.bytes() && call.bytes() <= 2 * point->bytes;
  return near ? point : nullptr;
}

Outlook outlook(const Selector& selector, const Profile* profile, Collective collective, int p,
                double bytes, std::string_view algorithm) {
  Call call = call_of_bytes(collective, p, static_cast<std::int64_t>(bytes));
  call.placement = placed_in_blocks(p, selector.machine().ranks_per_node);
  Outlook result{.bound = lower_bound(collective, p, call.bytes(), selector.machine(call))};
  const Algorithm* served = find_algorithm(collective, algorithm);
  if (const ProfilePoint* point = point_near(profile, call)) {
    result.measured = true;
    result.best = point->seconds.at(point->winner);
    result.now = measured_seconds(*point, collective, served);
    return result;
  }
  const Algorithm* best = selector.choose(call).algorithm;
  if (best != nullptr) result.best = selector.predicted(*best, call);
  if (served != nullptr) result.now = selector.predicted(*served, call);
  return result;
}

}  // namespace tutti
