#include "topology/merge_tree.hpp"

#include <algorithm>

namespace tutti {

namespace {

struct Group {
  Rank root = 0;
  Units total = 0;  // of its ranks' blocks
  Units own = 0;    // the root's block
};

// Rank 0 collects everything, so its group never sends.
bool sends_up(const Group& low, const Group& high, bool has_rank_0) {
  return !has_rank_0 && low.total - low.own < high.total - high.own;
}

}  // namespace

std::vector<Merge> merges_of(Rank me, const std::vector<Units>& sizes) {
  const int p = static_cast<int>(sizes.size());
  std::vector<Group> groups;
  for (Rank r = 0; r < p; ++r) {
    const Units size = sizes[static_cast<std::size_t>(r)];
    groups.push_back({r, size, size});
  }
  std::vector<Merge> result;
  for (int level = 0; groups.size() > 1; ++level) {
    const int width = 1 << level;
    std::vector<Group> merged;
    for (std::size_t i = 0; i < groups.size(); i += 2) {
      if (i + 1 == groups.size()) {
        merged.push_back(groups[i]);
        continue;
      }
      const bool up = sends_up(groups[i], groups[i + 1], i == 0);
      const Group& from = groups[up ? i : i + 1];
      const Group& to = groups[up ? i + 1 : i];
      const Rank first = static_cast<Rank>(up ? i : i + 1) * width;
      if (from.root == me || to.root == me) {
        result.push_back({level, from.root, first, std::min(width, p - first), to.root});
      }
      merged.push_back({to.root, from.total + to.total, to.own});
    }
    groups = std::move(merged);
  }
  return result;
}

}  // namespace tutti
