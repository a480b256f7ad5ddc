#include "tools/shares.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::tools {
namespace {

double first_of(const std::vector<double>& wanted, double seconds) {
  return share_of_first(wanted, seconds);
}

TEST(Shares, OfMoreThanEnoughAllGetTheSameMultiple) {
  EXPECT_DOUBLE_EQ(first_of({1, 2, 5}, 16), 2);
  EXPECT_DOUBLE_EQ(first_of({5, 2, 1}, 16), 10);
  EXPECT_DOUBLE_EQ(first_of({5, 2, 1}, 8), 5);
}

TEST(Shares, OfTooLittleThoseThatWantLittleGetIt) {
  EXPECT_DOUBLE_EQ(first_of({1, 100, 100}, 21), 1);
  EXPECT_DOUBLE_EQ(first_of({100, 1, 50}, 21), 10);
  EXPECT_DOUBLE_EQ(first_of({50, 1, 100}, 21), 10);
  EXPECT_DOUBLE_EQ(first_of({7, 100, 1}, 21), 7);
}

TEST(Shares, OfTooLittleThoseThatWantMuchGetTheSame) {
  EXPECT_DOUBLE_EQ(first_of({30, 40, 50}, 60), 20);
  EXPECT_DOUBLE_EQ(first_of({19, 40, 50}, 60), 19);
}

// Who takes what is due to him, one after the other, leaves nothing and takes no more than there
// is.
TEST(Shares, OneAfterTheOtherTheyUseItUp) {
  const std::vector<double> wanted{3, 40, 0.5, 90, 20, 7};
  double left = 100;
  for (auto first = wanted.begin(); first != wanted.end(); ++first) {
    left -= share_of_first({first, wanted.end()}, left);
  }
  EXPECT_NEAR(left, 0, 1e-9);
}

}  // namespace
}  // namespace tutti::tools
