// The tree of an irregular gather: who merges, and that it takes at most twice the least time, as
// Traeff proves.
#include "topology/merge_tree.hpp"

#include <gtest/gtest.h>

#include <random>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "topology/digits.hpp"
#include "topology/logarithm.hpp"

namespace tutti {
namespace {

std::vector<Units> random_sizes(int p, std::mt19937& random) {
  std::vector<Units> sizes;
  const unsigned kind = random() % 3;
  for (int i = 0; i < p; ++i) {
    sizes.push_back(kind == 0   ? random() % 100
                    : kind == 1 ? random() % 2
                                : 1000 / (1 + random() % 1000));
  }
  if (kind == 1) sizes[random() % sizes.size()] = 1000;
  return sizes;
}

TEST(MergeTrees, EachRankSendsOnceWhatItHasCollected) {
  std::mt19937 random(5);
  for (int p = 1; p <= 70; ++p) {
    const std::vector<Units> sizes = random_sizes(p, random);
    for (Rank me = 0; me < p; ++me) {
      Rank first = me;
      int count = 1;
      bool sent = false;
      for (const Merge& merge : merges_of(me, sizes)) {
        EXPECT_FALSE(sent) << "p=" << p << ", rank " << me;
        if (merge.to == me) {
          EXPECT_TRUE(merge.first + merge.count == first || first + count == merge.first)
              << "p=" << p << ", rank " << me << ": not a neighbour";
          first = std::min(first, merge.first);
          count += merge.count;
        } else {
          EXPECT_EQ(merge.first, first) << "p=" << p << ", rank " << me;
          EXPECT_EQ(merge.count, count) << "p=" << p << ", rank " << me;
          sent = true;
        }
      }
      EXPECT_EQ(sent, me != 0) << "p=" << p << ", rank " << me;
    }
  }
}

// Without latency the root needs the time of what it receives; a binomial tree may need six times
// that.
TEST(MergeTrees, TakeAtMostTwiceTheLeastTime) {
  std::mt19937 random(7);
  for (const Collective collective : {Collective::gatherv, Collective::scatterv}) {
    const Algorithm& tree = *find_algorithm(collective, "tree");
    for (int i = 0; i < 300; ++i) {
      const int p = 2 + static_cast<int>(random() % 60);
      const Call call{.collective = collective, .p = p, .layout = Layout(random_sizes(p, random))};
      const double least = static_cast<double>(call.n() - call.block_size(0));
      const Machine bytes_alone{.alpha = 0, .beta = 1, .gamma = 0};
      EXPECT_LE(simulate(tree, call, bytes_alone).seconds, 2 * least)
          << "p=" << p << ", case " << i;
    }
  }
}

}  // namespace
}  // namespace tutti
