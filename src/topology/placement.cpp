#include "topology/placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tutti {

Placement::Placement(const std::vector<std::uint64_t>& node_of) {
  std::map<std::uint64_t, int> numbers;
  std::vector<int> ranks;
  fingerprint_ = node_of.size();
  for (const std::uint64_t name : node_of) {
    const int number = numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second;
    node_of_.push_back(number);
    ranks.resize(numbers.size());
    most_ranks_ = std::max(most_ranks_, ++ranks[static_cast<std::size_t>(number)]);
    fingerprint_ = (fingerprint_ ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
  }
  nodes_ = static_cast<int>(numbers.size());
  by_node_.resize(node_of_.size());
  std::iota(by_node_.begin(), by_node_.end(), 0);
  std::ranges::stable_sort(by_node_, {}, [&](Rank rank) { return node(rank); });
  positions_.resize(node_of_.size());
  for (int i = 0; const Rank rank : by_node_) positions_[static_cast<std::size_t>(rank)] = i++;
}

std::shared_ptr<const Placement> placed_on(const std::vector<std::uint64_t>& node_of) {
  auto placement = std::make_shared<const Placement>(node_of);
  return placement->most_ranks() > 1 ? placement : nullptr;
}

std::shared_ptr<const Placement> placed_in_blocks(int p, int ranks_per_node) {
  if (ranks_per_node <= 1) return nullptr;
  std::vector<std::uint64_t> node_of;
  node_of.reserve(static_cast<std::size_t>(p));
  for (Rank rank = 0; rank < p; ++rank) {
    node_of.push_back(static_cast<std::uint64_t>(rank / ranks_per_node));
  }
  return placed_on(node_of);
}

}  // namespace tutti
