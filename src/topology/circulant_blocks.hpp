// Which block a rank sends and receives in each round of an n-block broadcast on the circulant
// graph: n-1 + ceil(lg p) rounds, the fewest there can be, for any p (Traeff, arXiv 2407.18004).
//
// In round k, modulo q = ceil(lg p), rank r sends to r + skip[k] and receives from r - skip[k]. In
// q rounds on end a rank gets its base block, new, and one earlier block for each other residue.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

class CirculantBlocks {
 public:
  // For virtual rank `rank` of p; the root is 0. O(log^2 p).
  CirculantBlocks(int p, Rank rank);

  int rounds(int blocks) const { return p_ == 1 ? 0 : blocks - 1 + q_; }

  struct Exchange {
    Rank to = 0, from = 0;      // virtual ranks
    std::optional<int> sent{};  // block, if one is sent
    std::optional<int> received{};
  };
  // In a round of a broadcast of so many blocks.
  Exchange exchange(int round, int blocks) const;

  // Blocks relative to the current q rounds: negative ones belong to those before.
  const std::vector<int>& received() const { return recv_; }
  const std::vector<int>& sent() const { return send_; }

 private:
  int p_, q_;
  Rank rank_;
  std::vector<int> skips_, recv_, send_;
};

// Of all virtual ranks. That takes long for many, so the last are kept: every rank's schedule of
// some algorithms needs them.
std::shared_ptr<const std::vector<CirculantBlocks>> all_circulant_blocks(int p);

// What a rank receives in rounds 0 .. q-1; O(log p).
std::vector<int> circulant_receive_blocks(const std::vector<int>& skips, Rank rank);

}  // namespace tutti
