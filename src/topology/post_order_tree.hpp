// Two balanced binary trees in post-order, one on each half of the ranks (Traeff, arXiv 2109.12626;
// shared/ALGORITHMS.md, section 7).
//
// A subtree is an interval that ends with its root: [second child's subtree][first child's
// subtree][root]. So a rank that combines its first child's sum before its second's keeps the
// order. The roots of the two trees are each other's partners.
#pragma once

#include "schedule/schedule.hpp"
#include "topology/logarithm.hpp"

namespace tutti {

// One rank's place; -1 stands for no rank.
struct PostOrderPlace {
  Rank above = -1;  // the parent; of a root, the other root
  Rank first = -1, second = -1;
  int depth = 0;
  // Pipelines: rounds before those of the roots' exchange in which the exchanges with `above` are.
  int lead = 0;

  bool is_root() const { return depth == 0; }
};

// A rank's exchanges repeat every so many rounds: one with each neighbour.
inline int post_order_period(int p) { return std::min(ceil_lg(p), 3); }
// The depth of the deepest leaf.
inline int post_order_depth(int p) { return floor_lg((p + 1) / 2); }

// A rank serves its first child, its second child, then the rank above; p > 1.
inline PostOrderPlace post_order_place(int p, Rank me) {
  const int half = p / 2;
  const bool is_upper = me >= half;
  PostOrderPlace place{.above = is_upper ? half - 1 : p - 1};
  Rank root = is_upper ? p - 1 : half - 1;
  int size = is_upper ? p - half : half;
  while (root != me) {
    const Rank second = root - 1 - size / 2;
    const bool in_first = me > second;
    place = {.above = root,
             .depth = place.depth + 1,
             .lead = place.lead + (in_first ? post_order_period(p) - 1 : 1)};
    root = in_first ? root - 1 : second;
    size = in_first ? size / 2 : size - 1 - size / 2;
  }
  if (size > 1) place.first = me - 1;
  if (size > 2) place.second = me - 1 - size / 2;
  return place;
}

}  // namespace tutti
