// Results that are kept for those who ask again.
#include "select/recent_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tutti {
namespace {

using Table = RecentTable<int, int>;

int square(Table& table, int key) {
  return *table.find(key, [key] { return key * key; });
}

TEST(RecentTable, FindsOnce) {
  Table table(4);
  int found = 0;
  const auto find = [&] { return ++found; };
  EXPECT_EQ(table.find(7, find), table.find(7, find));
  EXPECT_EQ(found, 1);
}

TEST(RecentTable, IsBounded) {
  Table table(4);
  for (int key = 0; key < 10'000; ++key) EXPECT_EQ(square(table, key), key * key);
  EXPECT_EQ(table.size(), 4);
}

TEST(RecentTable, ForgetsWhatWasAskedForLongestAgo) {
  Table table(2);
  square(table, 1);
  square(table, 2);
  square(table, 1);
  square(table, 3);
  const auto never = [] {
    ADD_FAILURE() << "it was forgotten";
    return 0;
  };
  table.find(1, never);
  table.find(3, never);
  int found = 0;
  table.find(2, [&] { return ++found; });
  EXPECT_EQ(found, 1);
}

TEST(RecentTable, WhoHasAResultKeepsIt) {
  Table table(1);
  const auto mine = table.find(3, [] { return 9; });
  square(table, 4);
  EXPECT_EQ(*mine, 9);
}

// One who found it would wait for ever if a lock were held meanwhile.
TEST(RecentTable, OthersAskWhileOneFinds) {
  Table table(4);
  const auto found = table.find(1, [&] {
    int other = 0;
    std::thread([&] { other = square(table, 2); }).join();
    return other;
  });
  EXPECT_EQ(*found, 4);
}

TEST(RecentTable, ServesThreadsAtOnce) {
  Table table(8);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5'000; ++i) {
        const int key = (i * (t + 1)) % 16;
        if (square(table, key) != key * key) ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(table.size(), 8);
}

}  // namespace
}  // namespace tutti
