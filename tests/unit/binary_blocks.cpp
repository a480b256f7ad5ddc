// Binary blocks: their sizes, and the rounds in which they reduce and give back.
#include "topology/binary_blocks.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace tutti {
namespace {

constexpr int most_ranks = 200;

TEST(BinaryBlocks, AreTheBitsOfPTheLargestFirst) {
  for (int p = 1; p <= most_ranks; ++p) {
    const BinaryBlocks blocks(p);
    EXPECT_EQ(blocks.count(), std::popcount(static_cast<unsigned>(p))) << "p=" << p;
    Rank next = 0;
    for (int i = 0; i < blocks.count(); ++i) {
      const BinaryBlock& block = blocks.at(i);
      EXPECT_EQ(block.first, next) << "p=" << p;
      EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(block.size))) << "p=" << p;
      if (i > 0) {
        EXPECT_LT(block.size, blocks.at(i - 1).size) << "p=" << p;
      }
      for (Rank r = block.first; r <= block.last(); ++r) EXPECT_EQ(blocks.number_of(r), i);
      EXPECT_EQ(blocks.is_smallest(i), i + 1 == blocks.count());
      next += block.size;
    }
    EXPECT_EQ(next, p);
  }
}

TEST(BinaryBlocks, OfAPowerOfTwoIsOneThatHalvesAndDoubles) {
  for (int k = 0; k < 8; ++k) {
    const BinaryBlocks blocks(1 << k);
    ASSERT_EQ(blocks.count(), 1);
    EXPECT_EQ(blocks.reduction_rounds(), k);
    EXPECT_EQ(blocks.doubling_rounds(), k);
    for (int s = 0; s < k; ++s) EXPECT_EQ(blocks.doubling_round(0, s), s);
  }
}

// A block's own halving and the rounds in which the smaller block's parts come in: none before both
// are ready, one for each rank of the larger block that a rank of the smaller sends to.
TEST(BinaryBlocks, JoinWhenBothAreReady) {
  for (int p = 1; p <= most_ranks; ++p) {
    const BinaryBlocks blocks(p);
    for (int i = 0; i < blocks.count(); ++i) {
      const BinaryBlock& block = blocks.at(i);
      EXPECT_EQ(1 << block.halved, block.size) << "p=" << p;
      EXPECT_GE(block.joined, block.halved) << "p=" << p;
      if (blocks.is_smallest(i)) {
        EXPECT_EQ(block.complete, block.halved) << "p=" << p;
        continue;
      }
      const BinaryBlock& smaller = blocks.at(i + 1);
      EXPECT_EQ(block.joined, std::max(block.halved, smaller.complete)) << "p=" << p;
      EXPECT_EQ(block.complete - block.joined, block.size / smaller.size) << "p=" << p;
    }
    EXPECT_EQ(blocks.reduction_rounds(), blocks.at(0).complete) << "p=" << p;
  }
}

// Going back, a block doubles until it holds half of what the smaller block's ranks need, gives in
// two rounds in which it does not double, and goes on; the smaller block begins after them.
TEST(BinaryBlocks, GiveInTwoRoundsBetweenDoublings) {
  for (int p = 1; p <= most_ranks; ++p) {
    const BinaryBlocks blocks(p);
    EXPECT_EQ(blocks.at(0).doubling, 0);
    int last = 0;
    for (int i = 0; i < blocks.count(); ++i) {
      const BinaryBlock& block = blocks.at(i);
      std::set<int> busy;
      for (int s = 0; s < block.halved; ++s) {
        const int round = blocks.doubling_round(i, s);
        EXPECT_TRUE(busy.insert(round).second) << "p=" << p << " twice in round " << round;
        EXPECT_GE(round, block.doubling) << "p=" << p;
        last = std::max(last, round + 1);
      }
      if (blocks.is_smallest(i)) continue;
      const int smaller = blocks.at(i + 1).size;
      EXPECT_FALSE(busy.contains(block.giving)) << "p=" << p;
      EXPECT_FALSE(busy.contains(block.giving + 1)) << "p=" << p;
      EXPECT_EQ(blocks.at(i + 1).doubling, block.giving + 2) << "p=" << p;
      int doubled = 0;
      for (int round : busy) doubled += round < block.giving;
      EXPECT_EQ(block.size >> doubled, 2 * smaller) << "p=" << p << ": halves of what it needs";
      last = std::max(last, block.giving + 2);
    }
    EXPECT_EQ(blocks.doubling_rounds(), last) << "p=" << p;
  }
}

TEST(BinaryBlocks, OfThirteenByHand) {
  const BinaryBlocks blocks(13);
  ASSERT_EQ(blocks.count(), 3);
  const BinaryBlock eight = blocks.at(0), four = blocks.at(1), one = blocks.at(2);
  EXPECT_EQ(eight.size, 8);
  EXPECT_EQ(four.size, 4);
  EXPECT_EQ(one.size, 1);
  EXPECT_EQ(four.first, 8);
  EXPECT_EQ(one.first, 12);
  EXPECT_EQ(blocks.number_of(7), 0);
  EXPECT_EQ(blocks.number_of(8), 1);
  EXPECT_EQ(blocks.number_of(12), 2);
  // Rank 12 sends to four ranks after their two halvings, these to two each after six rounds.
  EXPECT_EQ(one.complete, 0);
  EXPECT_EQ(four.joined, 2);
  EXPECT_EQ(four.complete, 6);
  EXPECT_EQ(eight.joined, 6);
  EXPECT_EQ(eight.complete, 8);
  EXPECT_EQ(blocks.reduction_rounds(), 8);
  // A rank of the four wants a quarter, which ranks of the eight have in halves at once.
  EXPECT_EQ(eight.giving, 0);
  EXPECT_EQ(four.doubling, 2);
  EXPECT_EQ(four.giving, 3);
  EXPECT_EQ(one.doubling, 5);
  EXPECT_EQ(blocks.doubling_round(0, 0), 2);
  EXPECT_EQ(blocks.doubling_round(0, 2), 4);
  EXPECT_EQ(blocks.doubling_round(1, 0), 2);
  EXPECT_EQ(blocks.doubling_round(1, 1), 5);
  EXPECT_EQ(blocks.doubling_rounds(), 6);
}

TEST(BinaryBlocks, OfSevenByHand) {
  const BinaryBlocks blocks(7);
  ASSERT_EQ(blocks.count(), 3);
  EXPECT_EQ(blocks.at(0).size, 4);
  EXPECT_EQ(blocks.at(1).size, 2);
  EXPECT_EQ(blocks.at(2).size, 1);
  EXPECT_EQ(blocks.at(1).joined, 1);
  EXPECT_EQ(blocks.at(1).complete, 3);
  EXPECT_EQ(blocks.at(0).joined, 3);
  EXPECT_EQ(blocks.reduction_rounds(), 5);
  EXPECT_EQ(blocks.at(0).giving, 0);
  EXPECT_EQ(blocks.at(1).doubling, 2);
  EXPECT_EQ(blocks.at(1).giving, 2);
  EXPECT_EQ(blocks.at(2).doubling, 4);
  EXPECT_EQ(blocks.doubling_round(1, 0), 4);
  EXPECT_EQ(blocks.doubling_rounds(), 5);
}

}  // namespace
}  // namespace tutti
