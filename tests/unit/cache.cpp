// What was prepared is kept within its bound of bytes, and found by what the call is.
#include "execute/cache.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

int living = 0;

struct Entry {
  explicit Entry(std::size_t size) : size(size) { ++living; }
  ~Entry() { --living; }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  std::size_t bytes() const { return size; }
  std::size_t size;
};

CallKey key_of(std::int64_t count) {
  return {.collective = Collective::allreduce, .send_count = count};
}

class Cache : public testing::Test {
 protected:
  const Entry* insert(std::int64_t count, std::size_t bytes) {
    const auto entry = std::make_shared<Entry>(bytes);
    cache_.insert(key_of(count), entry);
    return entry.get();
  }
  const Entry* find(std::int64_t count) const {
    const auto* const found = cache_.find(key_of(count));
    return found != nullptr ? found->get() : nullptr;
  }
  ScheduleCache<Entry> cache_{1000};
};

TEST_F(Cache, FindsWhatWasInserted) {
  const Entry* const first = insert(1, 100);
  const Entry* const second = insert(2, 100);
  EXPECT_EQ(find(1), first);
  EXPECT_EQ(find(2), second);
  EXPECT_EQ(find(3), nullptr);
}

TEST_F(Cache, KeepsAsManyAsFit) {
  for (int count = 0; count < 10; ++count) insert(count, 100);
  EXPECT_EQ(living, 10);
  for (int count = 0; count < 10; ++count) EXPECT_NE(find(count), nullptr);
}

TEST_F(Cache, DropsAllWhenOneMoreWouldExceedTheBound) {
  for (int count = 0; count < 10; ++count) insert(count, 100);
  const Entry* const last = insert(10, 1);
  EXPECT_EQ(living, 1);
  EXPECT_EQ(find(10), last);
  EXPECT_EQ(find(9), nullptr);
}

TEST_F(Cache, NeverHoldsMoreThanItsBound) {
  for (int count = 0; count < 5000; ++count) {
    const std::size_t each = 1 + static_cast<std::size_t>(count) % 137;
    insert(count % 97, each);
    std::size_t held = 0;
    for (int other = 0; other < 97; ++other) {
      const Entry* entry = find(other);
      if (entry != nullptr) held += entry->bytes();
    }
    ASSERT_LE(held, 1000u) << count;
  }
}

// The call that asked for it has to be served.
TEST_F(Cache, HoldsOneThatExceedsTheBoundByItself) {
  insert(1, 100);
  const Entry* const large = insert(2, 5000);
  EXPECT_EQ(find(2), large);
  EXPECT_EQ(living, 1);
  insert(3, 100);
  EXPECT_EQ(find(2), nullptr);
  EXPECT_EQ(living, 1);
}

TEST_F(Cache, LeavesWhatACallHolds) {
  insert(1, 100);
  const std::shared_ptr<Entry> held = *cache_.find(key_of(1));
  insert(2, 1000);
  EXPECT_EQ(find(1), nullptr);
  EXPECT_EQ(held->size, 100u);
  EXPECT_EQ(living, 2);
}

TEST_F(Cache, CountsAReplacedEntryOnce) {
  for (int i = 0; i < 100; ++i) insert(1, 400);
  insert(2, 600);
  EXPECT_EQ(living, 2);
}

}  // namespace
}  // namespace tutti
