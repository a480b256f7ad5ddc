#include "topology/two_tree.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace tutti {

namespace {

int lowest_bit(int number) { return number & -number; }
int highest_bit(int number) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(number)));
}

}  // namespace

int InorderTree::root() const { return n == 0 ? 0 : highest_bit(n); }

int InorderTree::parent(int node) const {
  const int h = lowest_bit(node);
  return (node & 2 * h) != 0 || node + h > n ? node - h : node + h;
}

int InorderTree::left(int node) const {
  return lowest_bit(node) == 1 ? 0 : node - lowest_bit(node) / 2;
}

int InorderTree::right(int node) const {
  const int behind = std::min(lowest_bit(node) - 1, n - node);
  return behind == 0 ? 0 : node + highest_bit(behind);
}

TwoTree::TwoTree(int n, Order order)
    : n_(n), shifted_(order == Order::kept && n % 2 == 1 && n > 1), even_(n - n % 2) {
  if (shifted_) walk();
}

int TwoTree::root(int tree) const {
  if (shifted_) return InorderTree{n_ + tree}.root() - tree;
  if (n_ == 1) return 1;
  const int first = InorderTree{even_}.root();
  return tree == 0 ? first : even_ + 1 - first;
}

int TwoTree::parent(int tree, int node) const {
  if (shifted_) {
    if (tree == 0) return InorderTree{n_}.parent(node);
    const int above = InorderTree{n_ + 1}.parent(node + 1);
    return above == 0 ? 0 : above - 1;
  }
  if (n_ == 1) return 0;
  if (node > even_) return tree == 0 ? even_ : 1;
  const InorderTree first{even_};
  if (tree == 0) return first.parent(node);
  const int above = first.parent(even_ + 1 - node);
  return above == 0 ? 0 : even_ + 1 - above;
}

std::array<int, 2> TwoTree::children(int tree, int node) const {
  if (shifted_) {
    const InorderTree tree_of{n_ + tree};
    std::array<int, 2> both{tree_of.left(node + tree), tree_of.right(node + tree)};
    for (int& child : both) child = std::max(child - tree, 0);
    return both;
  }
  if (node > even_) return {0, 0};
  const InorderTree first{even_};
  if (tree == 0) {
    const int extra = n_ > even_ && node == even_ ? n_ : first.right(node);
    return {first.left(node), extra};
  }
  const auto mirrored = [&](int child) { return child == 0 ? 0 : even_ + 1 - child; };
  const int image = even_ + 1 - node;
  const int extra = n_ > even_ && node == 1 ? n_ : mirrored(first.right(image));
  return {extra, mirrored(first.left(image))};
}

// For nodes that are interior in the first tree, which the even ones are.
int TwoTree::colour_in_first(int node) const {
  const InorderTree first{even_};
  const int turn = even_ / 2 % 2;
  int colour = 0;
  for (int above = first.parent(node); above != 0; above = first.parent(node)) {
    colour ^= turn ^ static_cast<int>(above > node);
    node = above;
  }
  return colour;
}

int TwoTree::colour_by_rule(int tree, int node) const {
  if (node % 2 == 0) return tree == 0 ? colour_in_first(node) : 1 - colour_in_first(node);
  const int mirrored = 1 - colour_in_first(even_ + 1 - node);
  return tree == 1 ? mirrored : 1 - mirrored;
}

int TwoTree::colour(int tree, int node) const {
  if (shifted_) return walked_[static_cast<std::size_t>(node)][static_cast<std::size_t>(tree)];
  if (n_ == 1) return tree;
  if (node <= even_) return colour_by_rule(tree, node);
  const auto [left, right] = children(tree, parent(tree, node));
  return 1 - colour_by_rule(tree, left == node ? right : left);
}

// Two edges that must differ in colour end at one node or begin at one. Every edge has at most one
// partner of either kind, so following them alternately colours everything in one walk.
void TwoTree::walk() {
  constexpr std::uint8_t open = 2;
  walked_.assign(static_cast<std::size_t>(n_) + 1, {open, open});
  const auto sibling = [&](int tree, int node) {
    const int above = parent(tree, node);
    if (above == 0)
      return std::pair(1 - tree, [&] {
        int root = node;
        for (int next = parent(1 - tree, root); next != 0; next = parent(1 - tree, root))
          root = next;
        return root;
      }());
    const auto [left, right] = children(tree, above);
    return std::pair(tree, left == node ? right : left);
  };
  const auto colour_at = [&](int tree, int node) -> std::uint8_t& {
    return walked_[static_cast<std::size_t>(node)][static_cast<std::size_t>(tree)];
  };
  // From (tree, node), whose colour is known, along partners by sender, by receiver, by sender...
  const auto follow = [&](int tree, int node, bool by_sender) {
    for (std::uint8_t colour = colour_at(tree, node);; by_sender = !by_sender) {
      if (by_sender) {
        std::tie(tree, node) = sibling(tree, node);
      } else {
        tree = 1 - tree;
      }
      if (node == 0 || colour_at(tree, node) != open) return;
      colour = 1 - colour;
      colour_at(tree, node) = colour;
    }
  };
  for (int i = 0; i <= n_; ++i) {
    const int node = i == 0 ? InorderTree{n_}.root() : i;  // its edge works first
    if (colour_at(0, node) != open) continue;
    colour_at(0, node) = 0;
    follow(0, node, true);
    follow(0, node, false);
  }
}

int TwoTree::first_round(int tree, int node) const {
  const int above = parent(tree, node);
  const int own = colour(tree, node);
  if (above == 0) return own;
  const int earliest = first_round(tree, above) + 1;
  return earliest + (earliest + own) % 2;
}

}  // namespace tutti
