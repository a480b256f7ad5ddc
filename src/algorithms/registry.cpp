#include "algorithms/registry.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tutti {

bool accepts(const Algorithm& algorithm, const Call& call) {
  return call.commutative || !algorithm.requires_.commutative;
}

Schedule build(const Algorithm& algorithm, const Call& call, Rank rank) {
  const Rank me = call.virtual_rank(rank);
  ScheduleBuilder builder(call.p, me, call.origin());
  algorithm.write(call, me, builder);
  return std::move(builder).finish();
}

std::span<const Algorithm* const> algorithms() {
  static constexpr const Algorithm* all[] = {
#define TUTTI_ALGORITHM(collective, name) &catalog::collective::name,
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
  };
  return all;
}

std::vector<const Algorithm*> algorithms_of(Collective collective) {
  std::vector<const Algorithm*> found;
  std::ranges::copy_if(algorithms(), std::back_inserter(found),
                       [&](const Algorithm* each) { return each->collective == collective; });
  return found;
}

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm* each : algorithms()) {
    if (each->collective == collective && each->name == name) return each;
  }
  return nullptr;
}

std::string known_algorithms(Collective collective) {
  std::vector<std::string_view> names;
  for (const Algorithm* each : algorithms_of(collective)) names.push_back(each->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string known_collectives() {
  std::vector<std::string_view> names;
  for (const CollectiveInfo& each : collectives) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tutti
