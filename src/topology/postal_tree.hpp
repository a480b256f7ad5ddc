// Trees for machines on which a rank may send several messages while the first of them travels
// (Bar-Noy and Kipnis, "Designing broadcasting algorithms in the postal model", 1994): every rank
// that has the message sends it on, in every round, until all have it.
#pragma once

#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

// What a rank does in a tree of consecutive ranks, as messages go down from rank 0. Each is one
// of its subtree's: ranks v, v+1, ..., v+count-1.
struct TreePlace {
  struct Child {
    Rank rank;
    int count;  // ranks of its subtree
  };

  int count = 1;                  // ranks of its own
  Rank parent = 0;                // of all but rank 0
  int round = -1;                 // in which it hears from it; it sends from the next one on
  std::vector<Child> children{};  // one for each round, the farthest first

  bool is_leaf() const { return children.empty(); }
  const Child* child_in(int at) const {
    const int number = at - round - 1;
    const bool has_one = number >= 0 && number < static_cast<int>(children.size());
    return has_one ? &children[static_cast<std::size_t>(number)] : nullptr;
  }
};

// A rank starts radix-1 messages until the first has arrived. With radix 2 the tree is the binomial
// one (Thakur2005, 4.2), with radix p all ranks are children of rank 0. The sooner a rank hears,
// the larger is its subtree; those of a rank's children lie side by side, the nearest last heard.
class PostalTree {
 public:
  PostalTree(int p, int radix) : PostalTree(p, radix, p, radix) {}
  // Such a tree in each group of so many ranks, and one over the groups' first ranks, which send to
  // those before they send to their own. What a group's ranks share, as those of a node do,
  // messages from others enter once.
  PostalTree(int p, int radix, int group, int radix_of_groups);

  int radix() const { return radix_; }  // the greater of the two
  int rounds() const { return static_cast<int>(reached_.size()) - 1; }
  TreePlace place(Rank v) const;
  // Of a subtree of `count` ranks, two or more, those that hear first from its root.
  int first_child(int count) const;
  // Who tells the root's children of the ranks below them. With several of these it is rank 1, a
  // leaf: the root's other messages then wait for one that is sent first, not for many.
  Rank teller() const;

 private:
  void reach(int ranks, int radix);

  int p_;
  int radix_;
  std::vector<int> reached_;  // the most ranks that can have been sent to after so many rounds
};

}  // namespace tutti
