#include "tools/measure/deciding.hpp"

#include <algorithm>
#include <limits>

#include "tools/measure/race_rules.hpp"
#include "tools/measure/statistics.hpp"

namespace tutti::tools {

namespace {

// Of calls that follow each other at once.
constexpr double seconds_in_a_row = 50e-6;

}  // namespace

bool repeats_itself(const Race& race) {
  constexpr double same = 1e-3;
  for (std::size_t i = 0; i < race.results().size(); ++i) {
    if (!race.takes_part(i)) continue;
    const auto [least, most] = std::ranges::minmax(race.results()[i].seconds);
    if (most > (1 + same) * least) return false;
  }
  return true;
}

void drop_hopeless(Race& race, std::size_t first, std::size_t last, const Hopeless& hopeless) {
  const std::vector<Measurement>& results = race.results();
  double leader = std::numeric_limits<double>::infinity();  // its longest time
  for (std::size_t i = first; i < last; ++i) {
    if (race.takes_part(i)) leader = std::min(leader, std::ranges::max(results[i].seconds));
  }
  const double times = leader >= surely_long ? hopeless.times_if_long : hopeless.times;
  for (std::size_t i = first; i < last; ++i) {
    if (!race.takes_part(i)) continue;
    const double least = std::min(results[i].first, std::ranges::min(results[i].seconds));
    if (least > times * leader) race.drop(i);
  }
}

bool is_surely_faster_in_a_row(Race& race, std::size_t one, std::size_t other) {
  const int rounds = repeats_itself(race) ? 1 : 20;
  const auto calls = static_cast<int>(seconds_in_a_row / middle(race.results()[other].seconds));
  if (calls <= race.results()[other].calls) return true;
  std::vector<double> ones, others;
  for (int i = 0; i < rounds; ++i) {
    ones.push_back(race.in_a_row(one, calls));
    others.push_back(race.in_a_row(other, calls));
  }
  return is_surely_faster(ones, others);
}

bool is_decided(Race& race, std::size_t native, std::size_t first, std::size_t last) {
  const std::vector<Measurement>& results = race.results();
  std::size_t best = native;
  for (std::size_t i = first; i < last; ++i) {
    if (race.takes_part(i) && middle(results[i].seconds) < middle(results[best].seconds)) best = i;
  }
  const Quartiles leader = quartiles(results[best].seconds);
  bool decided = true;
  for (std::size_t i = first; i < last; ++i) {
    if (i == best || !race.takes_part(i)) continue;
    if (is_surely_faster(results[best].seconds, results[i].seconds)) {
      if (i != native) race.drop(i);
    } else {
      const Quartiles other = quartiles(results[i].seconds);
      const double width = std::max(leader.upper - leader.lower, other.upper - other.lower);
      decided = decided && width < indifference * leader.middle;
    }
  }
  return decided;
}

}  // namespace tutti::tools
