// Distances as digits: rounds and blocks of a radix-r Bruck algorithm, counted one by one, against
// our closed forms and those printed in Fan et al. 2022.
#include "topology/digits.hpp"

#include <gtest/gtest.h>

#include <map>

#include "model/formula.hpp"
#include "support.hpp"

namespace tutti {
namespace {

constexpr int most_ranks = as_far_as(130, 40);

// weight -> digit -> how many of the offsets 1 .. p-1 have it there.
using Counted = std::map<int, std::map<int, int>>;

Counted counted(int p, int radix) {
  Counted result;
  for (int d = 1; d < p; ++d) {
    int weight = 1;
    for (int rest = d; rest > 0; rest /= radix, weight *= radix) {
      if (rest % radix > 0) ++result[weight][rest % radix];
    }
  }
  return result;
}

int rounds_of(const Counted& all) {
  int sum = 0;
  for (const auto& [weight, digits] : all) sum += static_cast<int>(digits.size());
  return sum;
}

int blocks_of(const Counted& all) {
  int sum = 0;
  for (const auto& [weight, digits] : all) {
    for (const auto& [digit, blocks] : digits) sum += blocks;
  }
  return sum;
}

template <class Visit>
void for_every_radix(Visit visit) {
  for (int p = 2; p <= most_ranks; ++p) {
    for (int radix = 2; radix <= p; ++radix) visit(p, radix);
  }
}

TEST(Digits, OffsetsWithTheSameLowestDigitsAreConsecutive) {
  EXPECT_EQ(by_lowest_digits(6, 2), (std::vector<int>{0, 4, 2, 1, 5, 3}));
  EXPECT_EQ(by_lowest_digits(7, 3), (std::vector<int>{0, 3, 6, 1, 4, 2, 5}));
  EXPECT_EQ(by_lowest_digits(1, 2), std::vector<int>{0});
}

TEST(Digits, EveryRoundMovesWhatHasItsDigit) {
  for_every_radix([](int p, int radix) {
    for (const DigitStep& step : digit_steps(p, radix)) {
      std::vector<int> having;
      for (int d = 1; d < p; ++d) {
        if (d / step.weight % radix == step.digit) having.push_back(d);
      }
      EXPECT_EQ(moved_offsets(p, step), having) << "p=" << p << " r=" << radix;
    }
  });
}

TEST(Digits, EveryOffsetStartsWithItsLowestDigit) {
  for_every_radix([](int p, int radix) {
    int all = 0;
    for (const DigitStep& step : digit_steps(p, radix)) {
      int starting = 0;
      for (int d = step.weight; d < p; d += step.weight) {
        if (d / step.weight % radix == step.digit) ++starting;
      }
      EXPECT_EQ(offsets_starting(p, step), starting) << "p=" << p << " r=" << radix;
      all += starting;
    }
    EXPECT_EQ(all, p - 1);
  });
}

TEST(Digits, ClosedFormsAreWhatIsCounted) {
  const Formula rounds("digit_rounds(p, radix)"), blocks("digit_blocks(p, radix)");
  for_every_radix([&](int p, int radix) {
    Counted all = counted(p, radix);
    EXPECT_EQ(rounds(p, p, {}, radix), rounds_of(all)) << "p=" << p << " r=" << radix;
    EXPECT_EQ(blocks(p, p, {}, radix), blocks_of(all)) << "p=" << p << " r=" << radix;
    for (const DigitStep& step : digit_steps(p, radix)) {
      EXPECT_EQ(offsets_moved(p, step), all[step.weight][step.digit]) << "p=" << p;
    }
  });
}

// The paper's (2), with w = ceil(log_r p).
int num_c(int p, int r) {
  int w = 0, power = 1;
  for (; power < p; power *= r) ++w;
  return w * (r - 1) - (power - p) / (power / r);
}

// The paper's (3) for digit z at r^x. Its divisions have to be whole.
int num_d(int p, int r, int weight, int z) {
  const int lc = p / (weight * r) * weight;
  const int t = p % (weight * r) - z * weight;
  return t <= 0 ? lc : t / weight > 0 ? lc + weight : lc + t % weight;
}

TEST(Fan2022, FormulasOfThePaperAreWhatIsCountedIfDivisionsAreWhole) {
  for_every_radix([](int p, int radix) {
    Counted all = counted(p, radix);
    EXPECT_EQ(num_c(p, radix), rounds_of(all)) << "p=" << p << " r=" << radix;
    for (const DigitStep& step : digit_steps(p, radix)) {
      EXPECT_EQ(num_d(p, radix, step.weight, step.digit), all[step.weight][step.digit])
          << "p=" << p << " r=" << radix << " w=" << step.weight << " z=" << step.digit;
    }
  });
}

// (1) is for powers of the radix alone.
TEST(Fan2022, FirstFormulaCountsRoundsThatAreNotThere) {
  EXPECT_EQ(rounds_of(counted(6, 3)), 2 * (3 - 1) - 1);
  EXPECT_EQ(rounds_of(counted(9, 3)), 2 * (3 - 1));
}

// As printed, t / r^x > 0 for every t > 0, so that a cut-off group of blocks counts as a whole one.
TEST(Fan2022, WithFractionsThePaperCountsBlocksThatAreNotThere) {
  EXPECT_EQ(counted(6, 2)[4][1], 2);  // offsets 4 and 5
  const int lc = 6 / 8 * 4, t = 6 % 8 - 4;
  EXPECT_GT(t / 4.0, 0);
  EXPECT_EQ(lc + 4, 4) << "what it says then";
}

// Figure 1 of the paper draws p = 6 and says 3, 5 and 5 steps.
TEST(Fan2022, Figure1HasAStepTooManyAtRadix4) {
  EXPECT_EQ(rounds_of(counted(6, 2)), 3);
  EXPECT_EQ(rounds_of(counted(6, 4)), 4);
  EXPECT_EQ(rounds_of(counted(6, 5)), 5);
}

TEST(Fan2022, ARadixOfTheRootSendsTwiceTheBlocksInFewRounds) {
  const Formula rounds("digit_rounds(p, radix)"), blocks("digit_blocks(p, radix)");
  EXPECT_EQ(rounds(4096, 1, {}, 64), 126);
  EXPECT_EQ(blocks(4096, 1, {}, 64), 2 * 63 * 64);
  EXPECT_EQ(blocks(4096, 1, {}, 4096), 4095);
  EXPECT_EQ(blocks(4096, 1, {}, 2), 12 * 2048);
}

}  // namespace
}  // namespace tutti
