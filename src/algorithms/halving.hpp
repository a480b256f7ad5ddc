// Recursive vector halving over doubling distances, and its mirror (Thakur2005, 5.1).
//
// 2^k members, numbered in rank order, exchange halves of what they hold, halves of that, and so
// on, until each has one of 2^k parts of the reduction. Members that exchange stand for consecutive
// ranks, so operand order is kept. Going back, parts are collected at all members or at one.
#pragma once

#include <functional>

#include "algorithms/running.hpp"
#include "topology/pair_fold.hpp"

namespace tutti::phase {

// Consecutive parts of a vector, numbered from 0.
struct Parts {
  int first = 0;
  int count = 0;

  Parts lower_half() const { return {first, count / 2}; }
  Parts upper_half() const { return {first + count / 2, count / 2}; }
};

// What a rank holds of the vector, and where.
class Halving {
 public:
  // `layout` divides the vector into `parts` parts, a power of two. Results go to their place in
  // `target`, which is as long as the vector.
  Halving(const Layout& layout, int parts, const Slice& vector, const Slice& target,
          ScheduleBuilder& out)
      : out_(out), layout_(layout), held_{0, parts}, value_(vector), target_(target) {}

  Parts held() const { return held_; }
  Slice value() const { return value_; }
  Slice value_of(const Parts& parts) const;

  // Gives up one half: where it is.
  Slice keep_half(bool lower);
  // Combines one half with the peer's, who gets the other: the lower of the two ranks keeps the
  // lower half.
  void exchange_halves(Round round, Rank peer, bool is_lower);
  // Combines all that is held with what the peer sends.
  void combine(Round round, Rank peer, Received side);
  // Gets complete parts that are next to those held.
  void collect(Round round, Rank peer, const Parts& parts);
  // Gets complete parts instead of those held.
  void take_over(Round round, Rank peer, const Parts& parts);
  // Puts what is held into the target, if it is not there.
  void settle();

 private:
  Slice place_of(const Parts& parts) const;

  ScheduleBuilder& out_;
  Layout layout_;
  Parts held_;
  Slice value_;
  Slice target_;
};

// One of 2^k members. Step k is between members whose numbers differ in bit k.
struct Member {
  int number = 0;
  std::function<Rank(int number)> rank_of;

  bool is_lower(int k) const { return (number >> k & 1) == 0; }
  Rank peer(int k) const { return rank_of(number ^ (1 << k)); }

  // One step towards shorter vectors and farther peers.
  void halve(Round round, int k, Halving& state) const;
  // Its mirror: both get what the other holds.
  void double_up(Round round, int k, Halving& state) const;
  // The same towards member `root`. False if that leaves this member with nothing more to do.
  bool double_up_towards(int root, Round round, int k, Halving& state) const;
};

// Halving and doubling among the ranks that stay when the others are folded away, and the results.
struct HalvingCall {
  const Call& call;
  Rank me;
  const PairFold& fold;
  ScheduleBuilder& out;

  int steps() const { return floor_lg(call.p); }
  bool takes_part() const { return !fold.is_folded(me); }
  Member member() const;
  // Partial results are kept in `target`, as long as the vector.
  Halving start(const Slice& target) const;
  // Folded ranks give their vector to their host.
  void fold_vectors(Halving& state) const;
  // The two combine a half each, then the host gets both: half the bytes at a time (5.1).
  void fold_halves(Halving& state) const;
  // Every rank that stays gets one part, then all get all, or the root does.
  void reduce_scatter(Halving& state) const;
  void allgather(Halving& state) const;
  void gather(Halving& state) const;
  // Folded ranks get the result from their host.
  void unfold() const;
};

}  // namespace tutti::phase
