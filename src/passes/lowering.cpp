#include "passes/lowering.hpp"

#include "passes/pairs.hpp"
#include "passes/receives.hpp"

namespace tutti {

Schedule lowered(Schedule written, Units unit_bytes, const Carriage& carriage) {
  const bool is_cut = carriage.fragments && !written.synchronous;
  if (carriage.readable) written = reduce_as_received(std::move(written), carriage.readable);
  const FragmentCount count = [&](Rank peer, Units units) {
    const bool whole = carriage.readable && carriage.readable(peer);
    return whole ? 1 : carriage.fragments(peer, units);
  };
  const auto is_long = [&](Rank peer, Units units) {
    return units * unit_bytes >= carriage.long_bytes && (!is_cut || count(peer, units) == 1);
  };
  Schedule schedule = hoist_receives(order_exchanges(std::move(written), is_long));
  if (is_cut) schedule = in_fragments(schedule, count);
  if (carriage.short_bytes < 0) return schedule;
  return pair_exchanges(std::move(schedule), carriage.short_bytes / unit_bytes);
}

}  // namespace tutti
