#include "tools/measure/race_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tools/measure/statistics.hpp"

namespace tutti::tools {

namespace {

constexpr std::size_t most_likely = 6;  // algorithms
constexpr std::size_t few = 4;
// Who took longer than the fastest by this factor is given no other parameters.
constexpr double near = 1.2;
constexpr std::size_t most_near = 3;  // algorithms
// Another run's times differ by more than those of one run.
constexpr double worth_it = 0.05;
// Usual differences are a quarter; slow minutes make it 1.5 to 2.5 times as long.
constexpr double slow = 1.4;

// The one it starts from, and those so many times as small and as large that were not tried.
std::vector<Variant> steps_from(const Variant& from, double factor, const Call& call,
                                const ProfilePoint& tried) {
  std::vector<Variant> steps{from};
  for (const double other : {from.parameter / factor, from.parameter * factor}) {
    const int parameter = within(from.algorithm->parameter.open, call, other);
    const bool is_known = tried.seconds.contains(full_name({from.algorithm, parameter}));
    if (!is_known) steps.push_back({from.algorithm, parameter});
  }
  return steps;
}

}  // namespace

std::set<const Algorithm*> likely(const std::vector<Entrant>& sorted) {
  std::set<const Algorithm*> result;
  for (const Entrant& each : sorted) {
    const double longest = (result.size() < few ? doubt * doubt : doubt) * sorted.front().seconds;
    if (each.seconds > longest || result.size() == most_likely) break;
    result.insert(each.algorithm);
  }
  return result;
}

double middle(const std::vector<double>& seconds) { return quartiles(seconds).middle; }

bool is_surely_faster(const std::vector<double>& one, const std::vector<double>& other) {
  return middle(one) < (1 - indifference) * middle(other) && is_surely_less(one, other);
}

bool beats(const std::vector<double>& one, const std::vector<double>& other, Margin margin) {
  switch (margin) {
    case Margin::none:
      return middle(one) < middle(other);
    case Margin::sure:
      return is_surely_faster(one, other);
    case Margin::lasting:
      return is_surely_faster(one, other) && middle(one) < (1 - worth_it) * middle(other);
  }
  return false;
}

double seconds_of(const ProfilePoint& point, const Variant& one) {
  const auto found = point.seconds.find(full_name(one));
  return found != point.seconds.end() ? found->second : std::numeric_limits<double>::infinity();
}

bool is_slow(double barrier, const std::vector<double>& so_far) {
  return !so_far.empty() && barrier > slow * middle(so_far);
}

std::vector<Variant> worth_more_parameters(const ProfilePoint& point, std::vector<Variant> raced) {
  const auto seconds = [&](const Variant& each) { return seconds_of(point, each); };
  std::ranges::stable_sort(raced, {}, seconds);
  const double longest = near * point.seconds.at(point.winner);
  std::vector<Variant> result;
  for (const Variant& each : raced) {
    const bool is_known =
        std::ranges::find(result, each.algorithm, &Variant::algorithm) != result.end();
    if (is_known || each.parameter == 0 || seconds(each) > longest) continue;
    if (result.size() < most_near) result.push_back(each);
  }
  return result;
}

int within(Open open, const Call& call, double parameter) {
  return static_cast<int>(std::clamp<double>(std::round(parameter), least(open), most(open, call)));
}

void climb(ProfilePoint& point, Variant from, const Call& call, const Step& race) {
  for (const double factor : {2.0, std::numbers::sqrt2}) {
    for (bool leads_on = true; leads_on;) {
      const std::vector<Variant> steps = steps_from(from, factor, call, point);
      const auto raced = steps.size() > 1 ? race(steps) : std::nullopt;
      if (!raced) break;
      const Variant fastest = *std::ranges::min_element(
          steps, {}, [&](const Variant& each) { return seconds_of(*raced, each); });
      leads_on = fastest != from;
      from = fastest;
      point.winner = raced->winner;
      point.seconds.insert(raced->seconds.begin(), raced->seconds.end());
    }
  }
}

}  // namespace tutti::tools
