// Postal trees: every rank has one parent, subtrees lie side by side, and who can send does.
#include "topology/postal_tree.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "topology/logarithm.hpp"

namespace tutti {
namespace {

constexpr int most_ranks = 70;

template <class Check>
void for_every_postal_tree(const Check& check) {
  for (int p = 1; p <= most_ranks; ++p) {
    for (int radix = 2; radix <= std::max(p, 2); ++radix) {
      SCOPED_TRACE(testing::Message() << "p=" << p << ", radix " << radix);
      check(PostalTree(p, radix), p, radix);
    }
  }
}

template <class Check>
void for_every_tree(const Check& check) {
  for_every_postal_tree([&](const PostalTree& tree, int p, int radix) {
    check(tree, p);
    for (const int group : {1, 2, 3, 4, 7, 16}) {
      SCOPED_TRACE(testing::Message() << "groups of " << group);
      check(PostalTree(p, radix, group, 3), p);
    }
  });
}

TEST(PostalTrees, AChildIsWhatItsParentTakesItFor) {
  for_every_tree([](const PostalTree& tree, int p) {
    std::vector<int> parents(static_cast<std::size_t>(p));
    for (Rank v = 0; v < p; ++v) {
      const TreePlace place = tree.place(v);
      for (int k = 0; k < tree.rounds(); ++k) {
        const TreePlace::Child* child = place.child_in(k);
        if (child == nullptr) continue;
        const TreePlace there = tree.place(child->rank);
        EXPECT_EQ(there.parent, v);
        EXPECT_EQ(there.round, k);
        EXPECT_EQ(there.count, child->count);
        ++parents[static_cast<std::size_t>(child->rank)];
      }
      EXPECT_LT(place.round + static_cast<int>(place.children.size()), tree.rounds());
    }
    parents[0] += 1;
    EXPECT_EQ(parents, std::vector<int>(static_cast<std::size_t>(p), 1));
  });
}

TEST(PostalTrees, ASubtreeIsARankAndTheSubtreesOfItsChildrenSideBySide) {
  for_every_tree([](const PostalTree& tree, int p) {
    EXPECT_EQ(tree.place(0).count, p);
    for (Rank v = 0; v < p; ++v) {
      const TreePlace place = tree.place(v);
      Rank end = v + place.count;
      for (const TreePlace::Child& child : place.children) {
        end -= child.count;
        EXPECT_EQ(child.rank, end);
      }
      EXPECT_EQ(end, v + 1);
    }
  });
}

// The least time in the postal model: simulated there, where a message arrives radix-1 units after
// its sender, which sends one in every unit, has sent it.
TEST(PostalTrees, ReachAllAsSoonAsAnyTreeCan) {
  for_every_postal_tree([](const PostalTree& tree, int p, int radix) {
    std::vector<int> at(static_cast<std::size_t>(p));  // when a rank has the message
    int last = 0;
    for (Rank v = 0; v < p; ++v) {  // parents are before their children
      const TreePlace place = tree.place(v);
      int sent = at[static_cast<std::size_t>(v)];
      for (const TreePlace::Child& child : place.children) {
        at[static_cast<std::size_t>(child.rank)] = sent++ + radix - 1;
        last = std::max(last, at[static_cast<std::size_t>(child.rank)]);
      }
    }
    // As many as have it at each time, if everyone who has it sends in every unit.
    std::vector<Units> most{1};
    while (most.back() < p) {
      const int now = static_cast<int>(most.size());
      most.push_back(most.back() + (now >= radix - 1 ? most[now - radix + 1] : 0));
    }
    EXPECT_EQ(last, static_cast<int>(most.size()) - 1);
  });
}

TEST(PostalTrees, OfRadix2AreBinomial) {
  for (int p = 1; p <= most_ranks; ++p) {
    const PostalTree tree(p, 2);
    EXPECT_EQ(tree.rounds(), ceil_lg(p));
    for (Rank v = 1; v < p; ++v) {
      const int lowest = 1 << std::countr_zero(static_cast<unsigned>(v));
      EXPECT_EQ(tree.place(v).parent, v - lowest) << "p=" << p << ", rank " << v;
      EXPECT_EQ(tree.place(v).count, std::min(lowest, p - v)) << "p=" << p << ", rank " << v;
    }
  }
}

TEST(PostalTrees, OfRadixPAreTheRootAndItsChildren) {
  for (int p = 2; p <= most_ranks; ++p) {
    const PostalTree tree(p, p);
    EXPECT_EQ(tree.rounds(), p - 1);
    for (Rank v = 1; v < p; ++v) EXPECT_EQ(tree.place(v).parent, 0) << "p=" << p << ", rank " << v;
  }
}

// First ranks hear from each other as if they were alone, others from ranks of their group.
TEST(TreesOfGroups, ArePostalTreesOverPostalTrees) {
  constexpr int of_groups = 3;
  for_every_postal_tree([](const PostalTree&, int p, int radix) {
    for (const int group : {1, 2, 3, 4, 7, 16}) {
      const PostalTree tree(p, radix, group, of_groups);
      const PostalTree groups((p + group - 1) / group, of_groups);
      for (Rank v = 1; v < p; ++v) {
        const Rank first = v - v % group;
        const PostalTree inside(std::min(group, p - first), radix);
        EXPECT_EQ(tree.place(v).parent, v == first ? groups.place(v / group).parent * group
                                                   : first + inside.place(v - first).parent)
            << "groups of " << group << ", rank " << v;
      }
    }
  });
}

}  // namespace
}  // namespace tutti
