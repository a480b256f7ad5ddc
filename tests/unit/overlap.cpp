#include <algorithm>
#include <random>

#include "support.hpp"

namespace tutti {
namespace {

bool any_two_overlap(const Slices& some, const Slices& others) {
  for (const Slice& a : some) {
    for (const Slice& b : others) {
      if (overlap(a, b)) return true;
    }
  }
  return false;
}

// Up to five places, in order more often than not, some of them empty.
Slices places(std::mt19937& random) {
  const auto below = [&](int bound) { return static_cast<int>(random() % bound); };
  Slices all;
  Units at = below(12);
  for (int i = below(6); i > 0; --i) {
    const Units size = below(4);
    all.push_back({below(12) == 0 ? Buffer::scratch : Buffer::out, at, size});
    at = below(8) == 0 ? below(20) : at + size + below(9);
  }
  return all;
}

TEST(Overlap, OfListsIsThatOfAnyTwoPlaces) {
  constexpr unsigned seed = 7;
  std::mt19937 random(seed);
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    const Slices some = places(random), others = places(random);
    const bool expected = any_two_overlap(some, others);
    overlapping += expected ? 1 : 0;
    ASSERT_EQ(overlap(some, others), expected) << "seed " << seed << ", case " << i;
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_LT(overlapping, 18000);
}

// Apart from each other, in two buffers, none of them empty.
Slices message(std::mt19937& random) {
  const auto below = [&](int bound) { return static_cast<int>(random() % bound); };
  Slices all;
  for (const Buffer buffer : {Buffer::out, Buffer::scratch}) {
    Units at = below(6);
    for (int i = below(9); i > 0; --i) {
      const Units size = 1 + below(4);
      all.push_back({buffer, at, size});
      at += size + below(5);
    }
  }
  std::ranges::shuffle(all, random);
  return all;
}

TEST(Overlap, WithWhatIsInOrderIsThatOfAnyTwoPlaces) {
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    const Slices some = places(random), others = message(random);
    Slices ordered = others;
    put_in_order(ordered);
    const bool expected = any_two_overlap(some, others);
    overlapping += expected ? 1 : 0;
    ASSERT_EQ(overlap_ordered(some, ordered), expected) << "seed " << seed << ", case " << i;
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_LT(overlapping, 18000);
}

}  // namespace
}  // namespace tutti
