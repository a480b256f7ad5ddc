#include "tools/measure/race_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"

using namespace tutti;
using namespace tutti::tools;
using testing::ElementsAre;

namespace {

Variant named(const std::string& name, int parameter) {
  return {find_algorithm(Collective::bcast, name), parameter};
}

Call bcast_of(std::int64_t bytes) { return call_of_bytes(Collective::bcast, 13, bytes); }

// Of entrants of these algorithms, with these times, by their numbers.
std::set<int> likely_of(const std::vector<std::pair<int, double>>& entrants) {
  const std::vector<const Algorithm*> known = algorithms_of(Collective::bcast);
  std::vector<Entrant> sorted;
  for (const auto& [number, seconds] : entrants) {
    sorted.push_back({{known[static_cast<std::size_t>(number)]}, seconds});
  }
  std::set<int> result;
  for (const Algorithm* each : likely(sorted)) {
    result.insert(static_cast<int>(std::ranges::find(known, each) - known.begin()));
  }
  return result;
}

// As long as this, in each of 20 rounds: 1% more in every other.
std::vector<double> about(double seconds) {
  std::vector<double> values(20, seconds);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] *= 1.01;
  return values;
}

}  // namespace

TEST(RaceRules, WhoMayTakeTwiceTheLeastTakesPart) {
  EXPECT_THAT(likely_of({{0, 1}, {1, 1.1}, {2, 1.2}, {3, 1.3}, {4, 2}, {5, 2.1}}),
              ElementsAre(0, 1, 2, 3, 4));
}

TEST(RaceRules, AtLeastFourTakePartUnlessTheyAreFourTimesAsSlow) {
  EXPECT_THAT(likely_of({{0, 1}, {1, 2.5}, {2, 3}, {3, 3.5}, {4, 3.6}}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(likely_of({{0, 1}, {1, 4}, {2, 4.1}}), ElementsAre(0, 1));
}

TEST(RaceRules, ParametersOfOneAlgorithmCountOnce) {
  EXPECT_THAT(likely_of({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {1, 3}, {2, 3}, {3, 3}}),
              ElementsAre(0, 1, 2, 3));
}

TEST(RaceRules, SixTakePartAtMost) {
  EXPECT_THAT(likely_of({{6, 1}, {5, 1}, {4, 1}, {3, 1}, {2, 1}, {1, 1}, {0, 1}}),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(RaceRules, TheLowerMedianBeatsWithoutAMargin) {
  EXPECT_TRUE(beats(about(0.995), about(1), Margin::none));
  EXPECT_FALSE(beats(about(1), about(1), Margin::none));
  EXPECT_FALSE(beats(about(1), about(0.995), Margin::none));
}

TEST(RaceRules, WhoSurelyBeatsIsFasterByMoreThanIndifference) {
  EXPECT_FALSE(beats(about(0.99), about(1), Margin::sure));
  EXPECT_TRUE(beats(about(0.97), about(1), Margin::sure));
}

TEST(RaceRules, TheLowerMedianIsNotSurelyFasterIfEveryThirdCallIsSlow) {
  std::vector<double> two_speeds = about(0.8);
  for (std::size_t i = 0; i < two_speeds.size(); i += 3) two_speeds[i] = 1.2;
  EXPECT_TRUE(beats(two_speeds, about(1), Margin::none));
  EXPECT_FALSE(beats(two_speeds, about(1), Margin::sure));
  EXPECT_FALSE(beats(two_speeds, about(1), Margin::lasting));
}

TEST(RaceRules, NativeGivesWayToWhatIsFasterByAnotherRunToo) {
  EXPECT_FALSE(beats(about(0.96), about(1), Margin::lasting));
  EXPECT_TRUE(beats(about(0.94), about(1), Margin::lasting));
}

TEST(RaceRules, WhoCameNearIsGivenOtherParameters) {
  const ProfilePoint point{.bytes = 1 << 20,
                           .winner = "chain:16",
                           .seconds = {{"chain:16", 1},
                                       {"chain:8", 1.1},
                                       {"two_tree:32", 1.2},
                                       {"circulant:4", 1.21},
                                       {"scatter_ring", 1.1},
                                       {"native", 5}}};
  EXPECT_THAT(worth_more_parameters(
                  point, {named("two_tree", 32), named("chain", 8), named("chain", 16),
                          named("circulant", 4), named("scatter_ring", 0), named("postal", 0)}),
              ElementsAre(named("chain", 16), named("two_tree", 32)))
      << "each algorithm once; not what took longer than 1.2 times, has no parameter or dropped "
         "out";
}

TEST(RaceRules, ThreeAlgorithmsAtMostAreGivenOtherParameters) {
  const ProfilePoint point{
      .bytes = 1 << 20,
      .winner = "chain:1",
      .seconds = {
          {"chain:1", 1}, {"two_tree:1", 1.01}, {"circulant:1", 1.02}, {"binary_tree:1", 1.03}}};
  EXPECT_THAT(worth_more_parameters(point, {named("binary_tree", 1), named("circulant", 1),
                                            named("two_tree", 1), named("chain", 1)}),
              ElementsAre(named("chain", 1), named("two_tree", 1), named("circulant", 1)));
}

// A climb over times that have one least, in which the lower time wins.
class Climb {
 public:
  Climb(double best, int first, std::int64_t bytes) : best_(best) {
    const Variant from = named("chain", first);
    point_ = {.winner = full_name(from), .seconds = {}};
    point_.seconds[point_.winner] = time(first);
    climb(point_, from, bcast_of(bytes), [&](const auto& steps) { return race(steps); });
  }
  int winner() const { return parse_variant(Collective::bcast, point_.winner).parameter; }
  const std::vector<std::vector<int>>& races() const { return races_; }

 private:
  double time(int parameter) const { return 1 + std::abs(std::log(parameter / best_)); }
  std::optional<ProfilePoint> race(const std::vector<Variant>& steps) {
    ProfilePoint result = point_;
    std::vector<int> parameters;
    for (const Variant& step : steps) {
      parameters.push_back(step.parameter);
      const std::string name = full_name(step);
      result.seconds[name] = time(step.parameter);
      if (result.seconds[name] < result.seconds[result.winner]) result.winner = name;
    }
    races_.push_back(parameters);
    return result;
  }

  double best_;
  ProfilePoint point_;
  std::vector<std::vector<int>> races_;
};

TEST(RaceRules, AClimbGoesBothWaysAndOnFromTheFastest) {
  const Climb climb(48, 12, 1 << 20);
  EXPECT_EQ(climb.winner(), 48);
  EXPECT_THAT(climb.races(), ElementsAre(ElementsAre(12, 6, 24), ElementsAre(24, 48),
                                         ElementsAre(48, 96), ElementsAre(48, 34, 68)))
      << "by 2 until that leads nowhere, then by its root; nothing twice";
}

TEST(RaceRules, AClimbEndsWithinAStepOfTheLeastTime) {
  for (const double best : {1.0, 3.0, 20.0, 45.0, 300.0}) {
    const Climb climb(best, 24, 1 << 20);
    EXPECT_LE(std::abs(std::log2(climb.winner() / best)), 0.3) << best << ' ' << climb.winner();
  }
}

TEST(RaceRules, AMachineIsSlowWhereBarriersTakeLongerThanUsual) {
  EXPECT_FALSE(is_slow(9, {})) << "nothing is usual yet";
  EXPECT_FALSE(is_slow(1.3, {1, 1, 1, 3, 3}));
  EXPECT_TRUE(is_slow(1.5, {1, 1, 1, 3, 3}));
  EXPECT_FALSE(is_slow(3, {1, 3, 3})) << "half of them took as long";
}

TEST(RaceRules, AClimbStaysWithinWhatTheCallAllows) {
  const Climb climb(100, 5, 8);
  EXPECT_EQ(climb.winner(), 8);
  EXPECT_THAT(climb.races(),
              ElementsAre(ElementsAre(5, 3, 8), ElementsAre(8, 4), ElementsAre(8, 6)));
}

TEST(RaceRules, AClimbWithoutTimeChangesNothing) {
  ProfilePoint point{.winner = "native", .seconds = {{"chain:4", 2}, {"native", 1}}};
  int asked = 0;
  climb(point, named("chain", 4), bcast_of(1 << 20), [&](const auto&) {
    ++asked;
    return std::nullopt;
  });
  EXPECT_EQ(asked, 2) << "once for each factor";
  EXPECT_EQ(point.winner, "native");
  EXPECT_EQ(point.seconds.size(), 2U);
}
