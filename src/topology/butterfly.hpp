// A butterfly for any p: groups of ranks merge by twos until one is left, and where their number is
// odd, three become two first (3-2 elimination: Rabenseifner and Traeff, EuroPVM/MPI 2004).
//
// At level k a group is of 2^k ranks, each of which has one of 2^k parts of the vector; the groups'
// ranks are in order. Two that merge divide each part between them, the lower group getting lower
// halves. Of three, the one at the end, the last unless it has the rank to keep, gives its halves
// to the other two and leaves.
#pragma once

#include <algorithm>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/logarithm.hpp"

namespace tutti {

// What a rank does at a level, with the ranks that have the same part.
struct ButterflyTurn {
  enum class Role : std::uint8_t {
    gone,     // left at an earlier level
    pair,     // merges with `peer`
    middle,   // merges with `peer`, next to `leaver`
    far_end,  // merges with `peer`, which is next to `leaver`
    leaver,   // next to `peer`, and then `other`
  };
  Role role = Role::gone;
  Rank peer = -1;
  Rank leaver = -1;
  Rank other = -1;
};

class Butterfly {
 public:
  // As rank `me` sees it.
  Butterfly(int p, Rank me, Rank kept) : me_(me), kept_(kept) {
    for (Rank r = 0; r < p; ++r) groups_.push_back({r});
  }

  bool is_done() const { return groups_.size() == 1; }
  bool eliminates() const { return groups_.size() > 1 && groups_.size() % 2 == 1; }
  // Of those left, in the order of their parts.
  const std::vector<Rank>& members() const { return groups_.front(); }

  // One level.
  ButterflyTurn merge() {
    ButterflyTurn turn;
    std::vector<Group> merged;
    std::size_t begin = 0, end = groups_.size();
    const bool at_front = eliminates() && has(groups_.back(), kept_);
    if (at_front) {
      eliminate(groups_[0], groups_[1], groups_[2], turn);
      merged.push_back(interleaved(groups_[1], groups_[2]));
      begin = 3;
    } else if (eliminates()) {
      end -= 3;
    }
    for (std::size_t i = begin; i < end; i += 2) {
      const Group& lower = groups_[i];
      const Group& upper = groups_[i + 1];
      for (std::size_t part = 0; part < lower.size(); ++part) {
        if (lower[part] == me_) turn = {ButterflyTurn::Role::pair, upper[part]};
        if (upper[part] == me_) turn = {ButterflyTurn::Role::pair, lower[part]};
      }
      merged.push_back(interleaved(lower, upper));
    }
    if (eliminates() && !at_front) {
      eliminate(groups_[end + 2], groups_[end + 1], groups_[end], turn);
      merged.push_back(interleaved(groups_[end], groups_[end + 1]));
    }
    groups_ = std::move(merged);
    return turn;
  }

 private:
  using Group = std::vector<Rank>;  // by part

  static bool has(const Group& group, Rank rank) {
    return std::ranges::find(group, rank) != group.end();
  }

  static Group interleaved(const Group& lower, const Group& upper) {
    Group all;
    for (std::size_t part = 0; part < lower.size(); ++part) {
      all.push_back(lower[part]);
      all.push_back(upper[part]);
    }
    return all;
  }

  void eliminate(const Group& leavers, const Group& middles, const Group& ends,
                 ButterflyTurn& turn) const {
    using enum ButterflyTurn::Role;
    for (std::size_t part = 0; part < leavers.size(); ++part) {
      const Rank leaver = leavers[part], middle_rank = middles[part], end = ends[part];
      if (leaver == me_)
        turn = {.role = ButterflyTurn::Role::leaver, .peer = middle_rank, .other = end};
      if (middle_rank == me_) turn = {.role = middle, .peer = end, .leaver = leaver};
      if (end == me_) turn = {.role = far_end, .peer = middle_rank, .leaver = leaver};
    }
  }

  Rank me_, kept_;
  std::vector<Group> groups_;
};

}  // namespace tutti
