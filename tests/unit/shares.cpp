#include <gtest/gtest.h>

#include <vector>

#include "tools/measure/statistics.hpp"

namespace tutti::tools {
namespace {

double first_of(const std::vector<double>& each, double seconds) {
  return seconds * share_of_first(each);
}

TEST(Shares, WhatTakesAsLongGetsAsMuch) {
  EXPECT_DOUBLE_EQ(first_of({5, 5, 5, 5}, 12), 3);
  EXPECT_DOUBLE_EQ(first_of({5}, 12), 12);
}

TEST(Shares, WhatTakesLongGetsMoreAndIsMeasuredLessOften) {
  EXPECT_DOUBLE_EQ(first_of({1, 100, 1}, 12), 1);
  EXPECT_DOUBLE_EQ(first_of({100, 1, 1}, 12), 10);
}

// Of all ways to share, none has less doubt: neither more nor less for any of them.
TEST(Shares, TheSumOfSquaredDoubtsIsLeast) {
  const std::vector<double> each{3, 40, 0.5};
  const double seconds = 100;
  const double first = first_of(each, seconds);
  const double second = first_of({40, 0.5}, seconds - first);
  const auto doubt = [&](double a, double b) {
    return each[0] / a + each[1] / b + each[2] / (seconds - a - b);
  };
  const double least = doubt(first, second);
  for (const double more : {-1.0, 0.0, 1.0}) {
    for (const double other : {-1.0, 0.0, 1.0}) {
      EXPECT_GE(doubt(first + more, second + other), least * (1 - 1e-12));
    }
  }
}

}  // namespace
}  // namespace tutti::tools
