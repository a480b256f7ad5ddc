// A call or a layout recurs when it has come before; so many are remembered.
#include "execute/recurring.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(RecurringCalls, ComeBeforeFromTheirSecondTimeOn) {
  RecurringCalls calls;
  EXPECT_FALSE(calls.meet(7).came_before);
  EXPECT_FALSE(calls.meet(8).came_before);
  calls.meet(7).is_native = true;
  EXPECT_TRUE(calls.meet(7).came_before && calls.meet(7).is_native);
  EXPECT_FALSE(calls.meet(8).is_native);
}

TEST(RecurringCalls, AreFullOfOthersOnly) {
  RecurringCalls calls;
  for (std::uint64_t each = 0; each < RecurringCalls::remembered; ++each) {
    EXPECT_FALSE(calls.is_full_without(each));
    calls.meet(each);
  }
  EXPECT_FALSE(calls.is_full_without(0));
  EXPECT_TRUE(calls.is_full_without(RecurringCalls::remembered));
  calls.clear();
  EXPECT_FALSE(calls.meet(0).came_before);
}

TEST(RecurringLayouts, RecurFromTheirSecondTimeOn) {
  RecurringLayouts layouts;
  EXPECT_FALSE(layouts.recurs(7));
  EXPECT_FALSE(layouts.recurs(8));
  EXPECT_TRUE(layouts.recurs(7));
  EXPECT_TRUE(layouts.recurs(7));
  EXPECT_TRUE(layouts.recurs(8));
}

TEST(RecurringLayouts, AreForgottenWhenManyOthersComeOnce) {
  RecurringLayouts layouts;
  EXPECT_FALSE(layouts.recurs(1));
  EXPECT_FALSE(layouts.recurs(2));
  EXPECT_TRUE(layouts.recurs(1));
  for (std::uint64_t other = 0; other < RecurringLayouts::remembered; ++other) {
    EXPECT_FALSE(layouts.recurs(100 + other));
  }
  EXPECT_FALSE(layouts.recurs(2));
  EXPECT_TRUE(layouts.recurs(1));
}

TEST(RecurringLayouts, AreNotMoreThanSoMany) {
  RecurringLayouts layouts;
  for (int time = 0; time < 2; ++time) {
    for (std::uint64_t each = 1; each <= RecurringLayouts::most; ++each) layouts.recurs(each);
  }
  for (int time = 0; time < 3; ++time) EXPECT_FALSE(layouts.recurs(1000));
  EXPECT_TRUE(layouts.recurs(1));
}

}  // namespace
}  // namespace tutti
