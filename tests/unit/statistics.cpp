#include "tools/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

using namespace tutti::tools;

namespace {

// Every other round took twice as long, and by so much more those of each four that `slower` says.
std::vector<double> with_slow_minutes(std::size_t rounds, double usual, std::size_t slower_of_four,
                                      double more) {
  std::vector<double> values(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    values[i] = usual * (i % 2 == 0 ? 1 : 2) * (i % 4 < slower_of_four ? more : 1);
  }
  return values;
}

}  // namespace

TEST(Statistics, QuartilesApartAreEnough) {
  EXPECT_TRUE(is_surely_less({1, 2, 3, 9}, {4, 5, 6, 0}));
  EXPECT_FALSE(is_surely_less({4, 5, 6, 0}, {1, 2, 3, 9}));
}

TEST(Statistics, WhoIsFasterInThreeOfFourRoundsIsFaster) {
  const auto native = with_slow_minutes(20, 6, 0, 1);
  EXPECT_TRUE(is_surely_less(with_slow_minutes(20, 5, 1, 1.5), native));
  EXPECT_FALSE(is_surely_less(with_slow_minutes(20, 5, 2, 1.5), native));
  EXPECT_FALSE(is_surely_less(native, with_slow_minutes(20, 5, 1, 1.5)));
}

TEST(Statistics, FewRoundsTellLittle) {
  EXPECT_FALSE(is_surely_less(with_slow_minutes(16, 5, 1, 1.5), with_slow_minutes(16, 6, 0, 1)));
}

TEST(Statistics, RoundsThatOneDidNotTakePartInDoNotCount) {
  EXPECT_FALSE(is_surely_less(with_slow_minutes(12, 5, 1, 1.5), with_slow_minutes(40, 6, 0, 1)));
}

TEST(Statistics, Quartiles) {
  const Quartiles of = quartiles({5, 1, 4, 2, 3});
  EXPECT_EQ(of.lower, 2);
  EXPECT_EQ(of.middle, 3);
  EXPECT_EQ(of.upper, 4);
}
