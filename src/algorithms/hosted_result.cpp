#include "algorithms/hosted_result.hpp"

namespace tutti::phase {

HostedResult::HostedResult(const Call& call, const PairFold& fold, Rank me, ScheduleBuilder& out)
    : call_(call), fold_(fold), me_(me) {
  if (fold.is_host(me)) guest_ = out.scratch(call.block_size(me - 1));
}

Slices HostedResult::place() const {
  const Slice own = call_.output(me_);
  return fold_.is_host(me_) ? Slices{guest_, own} : Slices{own};
}

void HostedResult::hand_over(ScheduleBuilder& out) const {
  if (fold_.pairs() == 0) return;
  Round round = out.round();
  if (fold_.is_host(me_)) round.send(guest_, me_ - 1);
  if (fold_.is_folded(me_)) round.recv(call_.output(me_), me_ + 1);
}

}  // namespace tutti::phase
