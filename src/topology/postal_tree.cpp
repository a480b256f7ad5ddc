#include "topology/postal_tree.hpp"

#include <algorithm>

namespace tutti {

PostalTree::PostalTree(int p, int radix, int group, int radix_of_groups)
    : p_(p), radix_(std::max({radix, radix_of_groups, 2})), reached_{1} {
  reach(std::min(group, p), std::max(radix, 2));
  reach(p, std::max(radix_of_groups, 2));
}

// In each round those send who had heard radix-1 rounds before, and rank 0: each to as many ranks
// as were reached when this began.
void PostalTree::reach(int ranks, int radix) {
  const std::size_t begin = reached_.size() - 1;
  const std::size_t delay = static_cast<std::size_t>(radix) - 1;
  while (reached_.back() < ranks) {
    const std::size_t round = reached_.size();
    const Units more = reached_[round > begin + delay ? round - delay : begin];
    reached_.push_back(static_cast<int>(std::min<Units>(reached_.back() + more, ranks)));
  }
}

// As few as can be: the others are reached in time by who is there.
int PostalTree::first_child(int count) const {
  return count - *(std::ranges::lower_bound(reached_, count) - 1);
}

Rank PostalTree::teller() const {
  constexpr int several = 3;
  const auto is_told = [](const TreePlace::Child& child) { return child.count > 1; };
  return std::ranges::count_if(place(0).children, is_told) >= several ? 1 : 0;
}

TreePlace PostalTree::place(Rank v) const {
  TreePlace result{.count = p_};
  Rank top = 0;
  int left = p_;  // ranks of top's subtree that are not handed on yet
  for (int round = 0; left > 1; ++round) {
    const int count = first_child(left);
    left -= count;
    const Rank child = top + left;
    if (v >= child) {
      result = {.count = count, .parent = top, .round = round};
      top = child;
      left = count;
    } else if (v == top) {
      result.children.push_back({child, count});
    }
  }
  return result;
}

}  // namespace tutti
