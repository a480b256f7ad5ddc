// The result of a rank that another stands for (topology/pair_fold.hpp).
#pragma once

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"
#include "topology/pair_fold.hpp"

namespace tutti::phase {

// Where a reduce-scatter with folded ranks ends: a host has the result of the rank it stands for,
// beside its own, and hands it over in a last round.
class HostedResult {
 public:
  HostedResult(const Call& call, const PairFold& fold, Rank me, ScheduleBuilder& out);

  // The results of this rank and those it stands for, in rank order.
  Slices place() const;
  void hand_over(ScheduleBuilder& out) const;

 private:
  const Call& call_;
  const PairFold& fold_;
  Rank me_;
  Slice guest_{};
};

}  // namespace tutti::phase
