// Two binary trees on the same nodes, each node interior in at most one of them, and their edges
// coloured so that both can be used at full bandwidth (Sanders, Speck, Traeff 2007, sections 2, 5).
//
// Nodes are 1..n. Every node has an edge from its parent in either tree, a root's coming from
// outside. Edges of colour c work in rounds c, c+2, c+4, ...: the two edges a node receives on have
// different colours, and so have the two it sends on. The paper's colour rule is right only for
// nodes that are interior in the first tree; here the others follow from those.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tutti {

// The binary tree on nodes 1..n, in order (a node's left subtree lies before it, its right subtree
// behind it), whose leaves are the odd nodes. 0 stands for no node.
struct InorderTree {
  int n;

  int root() const;
  int parent(int node) const;
  int left(int node) const;
  int right(int node) const;
};

enum class Order : std::uint8_t { any, kept };

class TwoTree {
 public:
  // With order kept, both trees are in order. That costs O(n) time if n is odd; otherwise nothing
  // is computed in advance, and colours take O(log n).
  explicit TwoTree(int n, Order order = Order::any);

  int root(int tree) const;
  int parent(int tree, int node) const;  // 0: the node is the tree's root
  // The left child, the right child; 0 where there is none.
  std::array<int, 2> children(int tree, int node) const;
  // Of the edge that ends at the node: 0 or 1. The root of tree 0 has 0.
  int colour(int tree, int node) const;
  // The round in which the tree's first segment comes to the node.
  int first_round(int tree, int node) const;

 private:
  int colour_by_rule(int tree, int node) const;
  int colour_in_first(int node) const;
  void walk();

  int n_;
  // n odd: the last node is a leaf that both trees on the others get; or the second tree is that of
  // n+1 nodes without the first, so that it stays in order.
  bool shifted_;
  int even_;  // nodes of the trees that mirror each other
  std::vector<std::array<std::uint8_t, 2>> walked_;
};

}  // namespace tutti
