// Where the ranks of a communicator are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "topology/layout.hpp"

namespace tutti {

// On which node each rank of a communicator is.
class Placement {
 public:
  // Nodes by any numbers.
  explicit Placement(const std::vector<std::uint64_t>& node_of);

  int node(Rank rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  int nodes() const { return nodes_; }
  // Of the fullest node.
  int most_ranks() const { return most_ranks_; }
  // Whether the ranks of each node follow each other, one node after the other.
  bool in_blocks() const { return std::ranges::is_sorted(node_of_); }
  // Ranks ordered by node, in each node as they are numbered: the one at a position, and back.
  Rank rank_at(int position) const { return by_node_[static_cast<std::size_t>(position)]; }
  int position(Rank rank) const { return positions_[static_cast<std::size_t>(rank)]; }
  // The same for ranks placed alike.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  std::vector<int> node_of_;  // numbered in order of their first ranks
  std::vector<Rank> by_node_;
  std::vector<int> positions_;
  int nodes_ = 0;
  int most_ranks_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// One node after the other is filled. Null if every rank has a node of its own: levels then make no
// difference.
std::shared_ptr<const Placement> placed_in_blocks(int p, int ranks_per_node);
std::shared_ptr<const Placement> placed_on(const std::vector<std::uint64_t>& node_of);

}  // namespace tutti
