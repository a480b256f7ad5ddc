// Formulas as text: what they know, and what they refuse.
#include "model/formula.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace tutti {
namespace {

double value(std::string_view text, int p = 2, double n = 1) { return Formula(text)(p, n); }

TEST(Formula, KnowsTheLogarithm) {
  for (int k = 1; k < 30; ++k) {
    EXPECT_EQ(value("lg(p)", 1 << k), k) << "exact at powers of two";
    EXPECT_EQ(value("ceil(lg(p))", 1 << k), k);
    EXPECT_EQ(value("floor(lg(p))", 1 << k), k);
  }
  EXPECT_NEAR(value("lg(p)", 3), 1.5849625007211562, 1e-15);
}

TEST(Formula, RoundsLogarithmsBesidePowersOfTwo) {
  for (int k = 2; k < 30; ++k) {
    EXPECT_EQ(value("ceil(lg(p))", (1 << k) + 1), k + 1) << k;
    EXPECT_EQ(value("floor(lg(p))", (1 << k) - 1), k - 1) << k;
    EXPECT_EQ(value("ceil(lg(p))", (1 << k) - 1), k) << k;
    EXPECT_EQ(value("floor(lg(p))", (1 << k) + 1), k) << k;
  }
}

TEST(Formula, KnowsTheExponentOfTwo) {
  EXPECT_EQ(value("twos(p)", 3), 0);
  EXPECT_EQ(value("twos(p)", 12), 2);
  EXPECT_EQ(value("twos(p)", 40), 3);
  EXPECT_EQ(value("twos(p)", 1024), 10);
}

TEST(Formula, KnowsRoundingAndExtremes) {
  EXPECT_EQ(value("ceil(p/2)", 5), 3);
  EXPECT_EQ(value("floor(p/2)", 5), 2);
  EXPECT_EQ(value("max(p, 3, n)", 5, 7), 7);
  EXPECT_EQ(value("min(p, 3, n)", 5, 7), 3);
}

TEST(Formula, KnowsArithmetic) {
  EXPECT_EQ(value("(p-1)/p*n", 4, 100), 75);
  EXPECT_EQ(value("p == 4 ? 10 : 20", 4), 10);
  EXPECT_EQ(value("p == 4 ? 10 : 20", 5), 20);
  EXPECT_EQ(value("2^p", 5), 32);
}

TEST(Formula, UsesTheMachine) {
  const Formula formula("2*alpha + n*beta + n*gamma/p");
  EXPECT_DOUBLE_EQ(formula(4, 100, {.alpha = 3, .beta = 0.5, .gamma = 0.25}), 6 + 50 + 6.25);
  EXPECT_DOUBLE_EQ(formula(2, 10, {.alpha = 1, .beta = 1, .gamma = 0}), 12);
}

TEST(Formula, OneRankCostsNothing) { EXPECT_EQ(value("lg(p) + 7", 1), 0); }

TEST(Formula, SurvivesBeingMoved) {
  Formula first("p + n");
  Formula second(std::move(first));
  EXPECT_EQ(second(3, 4), 7);
  first = std::move(second);
  EXPECT_EQ(first(5, 6), 11);
}

TEST(Formula, RefusesWhatIsNoneAndQuotesIt) {
  for (const std::string text : {"p +", "", "q*2", "(p", "p p", "log10x(p)", "lg(p", "lg()", "#"}) {
    try {
      const Formula formula(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("formula '" + text + "'"));
    }
  }
}

}  // namespace
}  // namespace tutti
