// The n-block broadcast schedule (Traeff, arXiv 2407.18004). Published iterative generators are
// inconsistent from p = 33 and 8 blocks on, so those are among the cases.
#include "topology/circulant_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support.hpp"
#include "topology/circulant.hpp"

namespace tutti {
namespace {

std::vector<CirculantBlocks> all_ranks(int p) {
  std::vector<CirculantBlocks> all;
  for (Rank rank = 0; rank < p; ++rank) all.emplace_back(p, rank);
  return all;
}

TEST(CirculantBlocks, EveryRankGetsEveryBlockOnce) {
  for (int p = 1; p <= as_far_as(140, 40); ++p) {
    const std::vector<CirculantBlocks> ranks = all_ranks(p);
    const int q = ceil_lg(p);
    for (int blocks : {1, 2, q + 1, 2 * q + 3}) {
      std::vector<std::set<int>> held(static_cast<std::size_t>(p));
      for (int block = 0; block < blocks; ++block) held[0].insert(block);
      for (int t = 0; t < ranks[0].rounds(blocks); ++t) {
        const auto before = held;
        for (Rank rank = 0; rank < p; ++rank) {
          const auto got = ranks[static_cast<std::size_t>(rank)].exchange(t, blocks);
          const auto sender = static_cast<std::size_t>(got.from);
          const auto given = ranks[sender].exchange(t, blocks);
          ASSERT_EQ(got.received, given.sent) << "p=" << p << ", round " << t << ", rank " << rank;
          if (!got.received) continue;
          ASSERT_EQ(given.to, rank) << "p=" << p;
          ASSERT_TRUE(before[sender].contains(*got.received)) << "p=" << p << ", rank " << rank;
          ASSERT_TRUE(held[static_cast<std::size_t>(rank)].insert(*got.received).second)
              << "p=" << p << ", rank " << rank << " gets a block twice";
        }
      }
      for (const auto& each : held) ASSERT_EQ(each.size(), static_cast<std::size_t>(blocks));
    }
  }
}

// ALGORITHMS.md, section 5: the residues a rank receives, at sampled ranks of large p.
TEST(CirculantBlocks, AreOneOfEveryResidueForLargeP) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const int p = std::uniform_int_distribution(2, 1 << 24)(random);
    const std::vector<int> skips = circulant_skips(p);
    const int q = ceil_lg(p);
    const Rank rank = std::uniform_int_distribution(1, p - 1)(random);
    std::set<int> residues;
    int fresh = 0;
    for (int block : circulant_receive_blocks(skips, rank)) {
      EXPECT_TRUE(block >= -q && block < q) << "p=" << p << ", rank " << rank;
      residues.insert(((block % q) + q) % q);
      fresh += block >= 0;
    }
    ASSERT_EQ(residues.size(), static_cast<std::size_t>(q)) << "p=" << p << ", rank " << rank;
    ASSERT_EQ(fresh, 1) << "p=" << p << ", rank " << rank;
  }
}

}  // namespace
}  // namespace tutti
