// The two trees and their colours (Sanders2007, sections 2 and 5), for every size and both forms.
#include "topology/two_tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support.hpp"
#include "topology/logarithm.hpp"

namespace tutti {
namespace {

// Empty if the node is where both trees can have it; else what is wrong.
std::string fault_at(const TwoTree& trees, int node, Order order) {
  int interior = 0;
  for (int tree : {0, 1}) {
    const auto [left, right] = trees.children(tree, node);
    interior += left != 0 || right != 0;
    for (int child : {left, right}) {
      if (child != 0 && trees.parent(tree, child) != node) return "a child has another parent";
    }
    if (left != 0 && right != 0 && trees.colour(tree, left) == trees.colour(tree, right)) {
      return "edges to both children have one colour";
    }
    if (order == Order::kept && ((left != 0 && left > node) || (right != 0 && right < node))) {
      return "a child on the wrong side";
    }
    const int above = trees.parent(tree, node);
    if ((above == 0) != (node == trees.root(tree))) return "only the root has no parent";
    if (above == 0) continue;
    const auto siblings = trees.children(tree, above);
    if (std::ranges::find(siblings, node) == siblings.end()) return "its parent does not know it";
    if (trees.first_round(tree, node) <= trees.first_round(tree, above)) return "comes too early";
  }
  if (interior == 2) return "interior in both trees";
  if (trees.colour(0, node) == trees.colour(1, node))
    return "edges from both parents have one colour";
  return "";
}

void expect_right(int n, Order order) {
  const TwoTree trees(n, order);
  EXPECT_NE(trees.colour(0, trees.root(0)), trees.colour(1, trees.root(1))) << "n=" << n;
  for (int node = 1; node <= n; ++node) {
    const std::string fault = fault_at(trees, node, order);
    ASSERT_EQ(fault, "") << "n=" << n << ", node " << node
                         << (order == Order::kept ? ", order kept" : "");
  }
}

TEST(TwoTrees, KeepTheOrderRightToSize4096) {
  for (int n = 1; n <= 4096; n += n < 300 ? 1 : 13) expect_right(n, Order::kept);
}

// Every fourth size from one to four on.
class TwoTreesFrom : public testing::TestWithParam<int> {};

TEST_P(TwoTreesFrom, AreRightForEverySizeTo4096) {
  for (int n = GetParam(); n <= as_far_as(4096, 600); n += 4) expect_right(n, Order::any);
}

INSTANTIATE_TEST_SUITE_P(EachFourth, TwoTreesFrom, testing::Range(1, 5));

// At sampled nodes: nothing is computed for the others.
TEST(TwoTrees, AreRightForSampledSizesTo2To24) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const int n = std::uniform_int_distribution(4097, 1 << 24)(random);
    const TwoTree trees(n);
    for (int j = 0; j < 50; ++j) {
      const int node = std::uniform_int_distribution(1, n)(random);
      ASSERT_EQ(fault_at(trees, node, Order::any), "") << "n=" << n << ", node " << node;
    }
  }
}

// N + 2 ceil(lg p) - 2 rounds; one more where both trees are to be in order and p is a power of 2.
TEST(TwoTrees, DeliverInTheRoundsThePaperSays) {
  for (int p = 3; p <= 200; ++p) {
    for (Order order : {Order::any, Order::kept}) {
      const TwoTree trees(p - 1, order);
      for (int segments : {1, 2, 3, 10, 11}) {
        int rounds = 0;
        for (int tree : {0, 1}) {
          const int count = (segments + 1 - tree) / 2;
          for (int node = 1; node < p && count > 0; ++node) {
            rounds = std::max(rounds, trees.first_round(tree, node) + 2 * count - 1);
          }
        }
        const int bound = segments + 2 * ceil_lg(p) - 2 + (order == Order::kept);
        EXPECT_LE(rounds, bound) << "p=" << p << ", segments=" << segments;
        if (order == Order::any) {
          EXPECT_GE(rounds, bound - 1) << "p=" << p << ", segments=" << segments;
        }
      }
    }
  }
}

TEST(InorderTrees, AreInOrder) {
  for (int n = 1; n <= 300; ++n) {
    const InorderTree tree{n};
    EXPECT_EQ(tree.parent(tree.root()), 0) << "n=" << n;
    for (int node = 1; node <= n; ++node) {
      const int left = tree.left(node), right = tree.right(node);
      EXPECT_TRUE(left == 0 || (left < node && tree.parent(left) == node)) << "n=" << n;
      EXPECT_TRUE(right == 0 || (right > node && tree.parent(right) == node)) << "n=" << n;
    }
  }
}

}  // namespace
}  // namespace tutti
