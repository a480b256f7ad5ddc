// The butterfly whose distances alternate their sign: 1, -1, 3, -5, 11, ... (De Sensi et al., NSDI
// 2024; shared/ALGORITHMS.md, section 12). On a ring its peers are a third nearer, in all, than
// those at distances 1, 2, 4, ...; p has to be a power of two.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

struct Swing {
  int p;

  int steps() const { return std::countr_zero(static_cast<unsigned>(p)); }

  Rank peer(Rank rank, int step) const {
    int distance = 1;
    for (int s = 0; s < step; ++s) distance = 1 - 2 * distance;
    return (rank % 2 == 0 ? rank + distance : rank - distance) & (p - 1);
  }

  // The ranks that data at `rank` can come to in this step and those after it; ascending.
  std::vector<Rank> reachable(Rank rank, int step) const {
    std::vector<Rank> ranks{rank};
    for (int s = step; s < steps(); ++s) {
      for (std::size_t i = ranks.size(); i-- > 0;) ranks.push_back(peer(ranks[i], s));
    }
    std::ranges::sort(ranks);
    return ranks;
  }
};

}  // namespace tutti
