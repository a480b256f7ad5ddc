// Formulas as text: what they know, and what they refuse.
#include "model/formula.hpp"

#include <gmock/gmock.h>

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

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

TEST(Formula, KnowsTheLargestBlock) {
  EXPECT_EQ(value("largest", 4, 100), 25) << "where all are equal";
  EXPECT_EQ(Formula("largest")(4, 100, {}, 1, 60), 60);
}

TEST(Formula, ServesThreadsAtOnce) {
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] {
      const int p = 10 + t;
      for (int n = 0; n < 20000; ++n) {
        wrong[static_cast<std::size_t>(t)] += value("n * p - p", p, n) != p * (n - 1.0) ? 1 : 0;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(Formula, KnowsTheExponentOfTwo) {
  for (const int p : {2, 4, 64, 1024}) EXPECT_EQ(value("is_power_of_two(p)", p), 1) << p;
  for (const int p : {3, 6, 65, 1023}) EXPECT_EQ(value("is_power_of_two(p)", p), 0) << p;
  EXPECT_EQ(value("short_block", 2), 2048);
  EXPECT_EQ(value("parts(1)", 2), 1);
  EXPECT_EQ(value("parts(4)", 2), 2);
  EXPECT_EQ(value("parts(1000000)", 2), 6);
  EXPECT_EQ(value("twos(p)", 3), 0);
  EXPECT_EQ(value("twos(p)", 12), 2);
  EXPECT_EQ(value("twos(p)", 40), 3);
  EXPECT_EQ(value("twos(p)", 1024), 10);
}

TEST(Formula, CountsBits) {
  EXPECT_EQ(value("bits(p)", 2), 1);
  EXPECT_EQ(value("bits(p)", 12), 2);
  EXPECT_EQ(value("bits(p)", 13), 3);
  EXPECT_EQ(value("bits(p)", 255), 8);
  EXPECT_EQ(value("bits(p)", 256), 1);
}

TEST(Formula, CountsTheRoundsInWhichBinaryBlocksReduce) {
  EXPECT_EQ(value("merge_rounds(p)", 8), 3) << "halving alone";
  EXPECT_EQ(value("merge_rounds(p)", 3), 3) << "1 into 2: max(1, 0) + 2/1";
  EXPECT_EQ(value("merge_rounds(p)", 6), 4) << "2 into 4: max(2, 1) + 4/2";
  EXPECT_EQ(value("merge_rounds(p)", 7), 5) << "1 into 2, then max(2, 3) + 4/2";
  EXPECT_EQ(value("merge_rounds(p)", 9), 11) << "1 into 8: max(3, 0) + 8/1";
  EXPECT_EQ(value("merge_rounds(p)", 13), 8) << "1 into 4: 2 + 4; into 8: max(3, 6) + 8/4";
  EXPECT_EQ(value("merge_rounds(p)", 15), 7) << "1 into 2, 4 and 8: 3, 5, 7";
  EXPECT_EQ(value("merge_rounds(p)", 33), 37) << "1 into 32: max(5, 0) + 32/1";
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

TEST(Formula, KnowsWhatBindsCloser) {
  EXPECT_EQ(value("1 + 2*3^2"), 19);
  EXPECT_EQ(value("2^3^2"), 512) << "from the right";
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1*4"), 2);
  EXPECT_EQ(value("8 - 4 - 2 + 12/3/2"), 4) << "from the left";
  EXPECT_EQ(value("1 + 1 < 3 && 2*2 == 4"), 1);
  EXPECT_EQ(value("0 && 0 || 1"), 1);
  EXPECT_EQ(value("1 || 0 && 0"), 1);
  EXPECT_EQ(value("p < 3 ? p > 1 ? 5 : 6 : 7", 2), 5);
  EXPECT_EQ(value("p < 3 ? 1 : p < 5 ? 2 : 3", 4), 2);
  EXPECT_EQ(value("7 && 5"), 1);
  EXPECT_EQ(value("1e3 + .5"), 1000.5);
}

TEST(Formula, EvaluatesOnlyWhatCounts) {
  EXPECT_EQ(value("p > 5 ? postal_rounds(0, 0) : 3", 2), 3) << "there is no such tree";
  EXPECT_EQ(value("p > 5 && postal_rounds(0, 0)", 2), 0);
  EXPECT_EQ(value("p > 1 || postal_rounds(0, 0)", 2), 1);
}

TEST(Formula, SaysWhatIsAccepted) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      const Formula formula(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint("q*2"), testing::HasSubstr("'q'; accepted are p, n, largest"));
  EXPECT_THAT(complaint("ld(p)"), testing::HasSubstr("ld(); accepted are lg, sqrt"));
  EXPECT_THAT(complaint("bits(p, n)"), testing::HasSubstr("bits() takes 1 values, not 2"));
  EXPECT_THAT(complaint("(p + 1"), testing::HasSubstr("')' is expected at the end"));
  EXPECT_THAT(complaint("p + * 2"), testing::HasSubstr("expected at '* 2'"));
  EXPECT_THAT(complaint(std::string(100, '-').append(1, 'p')), testing::IsEmpty());
  std::string deep = "p";
  for (int i = 0; i < 100; ++i) deep = "1 + (" + deep + ")";
  EXPECT_THAT(complaint(deep), testing::HasSubstr("nested too deeply"));
}

TEST(Formula, UsesTheMachine) {
  const Formula formula("2*alpha + n*beta + n*gamma/p");
  EXPECT_DOUBLE_EQ(formula(4, 100, {.alpha = 3, .beta = 0.5, .gamma = 0.25}), 6 + 50 + 6.25);
  EXPECT_DOUBLE_EQ(formula(2, 10, {.alpha = 1, .beta = 1, .gamma = 0}), 12);
}

TEST(Formula, TellsOneWayMessagesFromExchanges) {
  const Formula formula("alpha + 10*alpha_uni + n*beta + 10*n*beta_uni");
  const Machine full_duplex{.alpha = 4, .beta = 0.5};
  EXPECT_DOUBLE_EQ(formula(2, 100, full_duplex), 44 + 550);
  const Machine simplex{.alpha = 4, .beta = 0.5, .f_alpha = 0.5, .f_beta = 0.75};
  EXPECT_DOUBLE_EQ(formula(2, 100, simplex), 4 + 20 + 50 + 375);
}

TEST(Formula, HidesWhatOverlaps) {
  const auto seconds = [&](std::string_view text, int p, double bytes, double overlap) {
    const Machine machine{.alpha = 10, .beta = 1, .overlap = overlap, .busy = 0.2};
    return Formula(text)(p, bytes, machine, 4);
  };
  const std::string_view one = "hidden(n, alpha, beta, 2)";
  EXPECT_EQ(seconds(one, 2, 1, 0), 0);
  EXPECT_EQ(seconds(one, 2, 1, 8), 10 + 1 - 4) << "the processor is busy for 4";
  EXPECT_EQ(seconds(one, 2, 7, 8), 10 + 7 - 7) << "the port for 7";
  EXPECT_EQ(seconds(one, 2, 8, 8), 0) << "it waits for its receiver";
  const std::string_view step = "window_step(n, alpha, beta)";
  EXPECT_EQ(seconds(step, 2, 1, 0), 10 + 1) << "nothing is hidden";
  EXPECT_EQ(seconds(step, 2, 1, 8), 4) << "the processor is busy for 4";
  EXPECT_EQ(seconds(step, 2, 9, 8), 9) << "the port for 9, however long";
  EXPECT_EQ(Formula(step)(2, 2, {.alpha = 10, .beta = 1, .overlap = 8, .busy = 0.2}, 2), 6)
      << "half of 12: two are under way";
  const std::string_view digits = "digit_hidden(p, radix, n/p, alpha, beta, 2)";
  EXPECT_EQ(seconds(digits, 64, 0, 8), 3 * 2 * 6) << "two of three rounds for each of three digits";
  EXPECT_EQ(seconds(digits, 64, 64, 16), 0) << "16 blocks";
}

// Messages of one second and a second for each block.
TEST(Formula, CombiningIsHiddenBehindMessagesOfATurn) {
  const auto seconds = [&](int radix, double gamma) {
    return Formula("digit_combining(p, radix, n/p, alpha, beta, gamma)")(
        4, 4, {.alpha = 1, .beta = 1, .gamma = gamma}, radix);
  };
  EXPECT_EQ(seconds(4, 1), 1) << "the last of three";
  EXPECT_EQ(seconds(4, 3), 5) << "two wait for the one before them, a second each";
  EXPECT_EQ(seconds(2, 3), 2 * 3 + 3) << "two turns of a message";
}

TEST(Formula, TheBestRadixTakesLeastTime) {
  const Formula best("best_radix(p, n/p, alpha, beta, 2)");
  const Formula taken(
      "digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta - "
      "digit_hidden(p, radix, n/p, alpha, beta, 2)");
  for (const double overlap : {0, 1000}) {
    for (const int p : {2, 3, 8, 17, 64, 100}) {
      for (double block = 1; block < 1e6; block *= 7) {
        const Machine machine{.alpha = 1000, .beta = 1, .overlap = overlap};
        const auto seconds = [&](int radix) { return taken(p, block * p, machine, radix); };
        const int found = static_cast<int>(best(p, block * p, machine));
        const double least = seconds(found) * (1 - 1e-12);
        EXPECT_LE(least, seconds(p));
        for (int radix = 2; radix * radix <= p; ++radix) EXPECT_LE(least, seconds(radix));
      }
    }
  }
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
  for (const std::string text : {"p +", "", "q*2", "(p", "p p", "log10x(p)", "lg(p", "lg()", "#",
                                 "bits()", "bits(p", "alpha_un"}) {
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
