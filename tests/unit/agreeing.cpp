// Ranks tell each other sizes more and more seldom while it makes no difference.
#include "execute/agreeing.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tutti {
namespace {

// The calls in which they do, of those that follow; `any_length(i)` says what call i leads to.
template <class AnyLength>
std::vector<int> agreeing_calls(int calls, AnyLength any_length) {
  AgreeingNowAndThen pace;
  std::vector<int> result;
  for (int i = 0; i < calls; ++i) {
    if (pace.goes_without()) continue;
    result.push_back(i);
    pace.led_to_any_length(any_length(i));
  }
  return result;
}

TEST(AgreeingNowAndThen, IsMoreAndMoreSeldom) {
  const auto always = [](int) { return true; };
  EXPECT_EQ(agreeing_calls(70, always), (std::vector<int>{0, 9, 26, 43, 60}));
}

TEST(AgreeingNowAndThen, IsInEveryCallWhereLengthsMatter) {
  const auto never = [](int) { return false; };
  EXPECT_EQ(agreeing_calls(5, never), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(AgreeingNowAndThen, BeginsAnewAfterOneInWhichTheyMatter) {
  const auto but_9 = [](int i) { return i != 9; };
  EXPECT_EQ(agreeing_calls(37, but_9), (std::vector<int>{0, 9, 10, 19, 36}));
}

// Else programs whose calls are long and short by turns would always be seen with the long ones.
TEST(AgreeingNowAndThen, SeesBothKindsOfCallsThatAlternate) {
  const auto even = [](int i) { return i % 2 == 0; };
  EXPECT_EQ(agreeing_calls(21, even), (std::vector<int>{0, 9, 10, 19, 20}));
}

}  // namespace
}  // namespace tutti
