// A butterfly for any p: groups of ranks merge by twos until one is left, and where their number is
// odd, three become two first (3-2 elimination: Rabenseifner and Traeff, EuroPVM/MPI 2004).
//
// At level k a group is of 2^k ranks, each of which has one of 2^k parts of the vector; the groups'
// ranks are in order. Two that merge divide each part between them, the lower group getting lower
// halves. Of three, the one at the end, the last unless it has the rank to keep, gives its halves
// to the other two and leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
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
  Butterfly(int p, Rank me, Rank kept)
      : me_(me), kept_(kept), members_(static_cast<std::size_t>(p)) {
    std::iota(members_.begin(), members_.end(), 0);
  }

  bool is_done() const { return groups() == 1; }
  bool eliminates() const { return groups() > 1 && groups() % 2 == 1; }
  // Of those left, group by group, in the order of their parts.
  const std::vector<Rank>& members() const { return members_; }

  // One level.
  ButterflyTurn merge() {
    ButterflyTurn turn;
    std::vector<Rank> merged;
    merged.reserve(members_.size());
    std::size_t begin = 0, end = groups();
    const bool at_front = eliminates() && has(end - 1, kept_);
    if (at_front) {
      eliminate(0, 1, 2, turn);
      interleave(1, merged);
      begin = 3;
    } else if (eliminates()) {
      end -= 3;
    }
    for (std::size_t i = begin; i < end; i += 2) {
      for (std::size_t part = 0; part < parts_; ++part) {
        const Rank lower = at(i, part), upper = at(i + 1, part);
        if (lower == me_) turn = {ButterflyTurn::Role::pair, upper};
        if (upper == me_) turn = {ButterflyTurn::Role::pair, lower};
      }
      interleave(i, merged);
    }
    if (eliminates() && !at_front) {
      eliminate(end + 2, end + 1, end, turn);
      interleave(end, merged);
    }
    members_ = std::move(merged);
    parts_ *= 2;
    return turn;
  }

 private:
  std::size_t groups() const { return members_.size() / parts_; }
  Rank at(std::size_t group, std::size_t part) const { return members_[group * parts_ + part]; }
  bool has(std::size_t group, Rank rank) const {
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(group * parts_);
    const auto end = first + static_cast<std::ptrdiff_t>(parts_);
    return std::find(first, end, rank) != end;
  }

  // This group and the next.
  void interleave(std::size_t group, std::vector<Rank>& all) const {
    for (std::size_t part = 0; part < parts_; ++part) {
      all.push_back(at(group, part));
      all.push_back(at(group + 1, part));
    }
  }

  void eliminate(std::size_t leavers, std::size_t middles, std::size_t ends,
                 ButterflyTurn& turn) const {
    using enum ButterflyTurn::Role;
    for (std::size_t part = 0; part < parts_; ++part) {
      const Rank leaver = at(leavers, part), middle_rank = at(middles, part), end = at(ends, part);
      if (leaver == me_)
        turn = {.role = ButterflyTurn::Role::leaver, .peer = middle_rank, .other = end};
      if (middle_rank == me_) turn = {.role = middle, .peer = end, .leaver = leaver};
      if (end == me_) turn = {.role = far_end, .peer = middle_rank, .leaver = leaver};
    }
  }

  Rank me_, kept_;
  std::vector<Rank> members_;
  std::size_t parts_ = 1;  // each group has so many ranks
};

}  // namespace tutti
