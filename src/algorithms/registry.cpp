#include "algorithms/registry.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace tutti {

// Of a call that is as easy to serve as can be.
bool fits(const Algorithm& algorithm, int p) {
  return algorithm.requires_.also.holds({.p = p, .layout = {}, .in_place = true});
}

bool only_in_place(const Algorithm& algorithm) {
  return !algorithm.requires_.also.holds({.p = 2, .layout = {}});
}

bool accepts(const Algorithm& algorithm, const Call& call) {
  const Requirements& needs = algorithm.requires_;
  return (call.commutative || !needs.commutative) && (!call.whole_operands || !needs.divisible) &&
         (call.agreed || !needs.agreement) && needs.also.holds(call);
}

Call with_parameter(const Algorithm& algorithm, const Call& call) {
  Call settled = call;
  const Open open = algorithm.parameter.open;
  settled.parameter = std::max(call.parameter, least(open));
  if (open == Open::segments && call.whole_operands) settled.parameter = most(open, call);
  return settled;
}

Call about_sizes(const Call& call) {
  return {.collective = call.collective,
          .p = call.p,
          .root = call.root,
          .layout = Layout(call.p, call.p),
          .parameter = call.parameter};
}

// Where ranks are ordered by node, it is written for a rank's position, and then says who is there.
static Schedule written(const std::function<void(const Call&, Rank, ScheduleBuilder&)>& write,
                        const Algorithm& algorithm, const Call& call, Rank rank,
                        const Carriage& carriage) {
  Call ordered = with_parameter(algorithm, call);
  const Placement* const order = call.order();
  if (order != nullptr) {
    ordered.root = order->position(call.root);
    rank = order->position(rank);
  }
  const Rank me = ordered.virtual_rank(rank);
  ScheduleBuilder builder(call.p, me, ordered.origin());
  builder.join_operands(!call.whole_operands);
  write(ordered, me, builder);
  Schedule schedule = std::move(builder).finish();
  schedule.synchronous = algorithm.synchronous;
  for (Step& step : schedule.steps) {
    if (order != nullptr && step.is_message()) step.peer = order->rank_at(step.peer);
  }
  return lowered(std::move(schedule), call.unit_bytes, carriage);
}

Schedule build(const Algorithm& algorithm, const Call& call, Rank rank, const Carriage& carriage) {
  const auto write = [&](const Call& ordered, Rank me, ScheduleBuilder& out) {
    if (algorithm.question.lead != nullptr) algorithm.question.lead(ordered, me, out);
    out.end_lead();
    algorithm.write(ordered, me, out);
  };
  return written(write, algorithm, call, rank, carriage);
}

Schedule build_question(const Algorithm& algorithm, const Call& call, Rank rank) {
  return written(algorithm.question.write, algorithm, about_sizes(call), rank, {});
}

Schedule build_lead(const Algorithm& algorithm, const Call& call, Rank rank,
                    const Carriage& carriage) {
  return written(algorithm.question.lead, algorithm, call, rank, carriage);
}

namespace {

// The file of one collective, serving another.
Algorithm serving(Collective collective, const Algorithm& algorithm) {
  Algorithm other = algorithm;
  other.collective = collective;
  if (collective != Collective::exscan) return other;
  const Exclusive& differs = algorithm.exclusive;
  if (!differs.cost.empty()) other.cost = differs.cost;
  if (differs.within > 0) other.within = differs.within;
  if (!differs.best.empty()) other.parameter.best = differs.best;
  return other;
}

}  // namespace

std::span<const Algorithm* const> algorithms() {
#define TUTTI_ALGORITHM(collective, name)
#define TUTTI_ALSO(other, name, owner) \
  static const Algorithm other##_##name = serving(Collective::other, catalog::owner::name);
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO
#define TUTTI_ALGORITHM(collective, name) &catalog::collective::name,
#define TUTTI_ALSO(other, name, owner) &other##_##name,
  static const Algorithm* const all[] = {
#include "algorithms/algorithms.def"
  };
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO
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
  names.reserve(collectives.size());
  for (const CollectiveInfo& each : collectives) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tutti
