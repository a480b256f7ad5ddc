#include "algorithms/running.hpp"

#include "algorithms/blocks.hpp"

namespace tutti::phase {

void combine_from(Round round, Rank peer, Received side, const Slices& own, const Slices& into,
                  ScheduleBuilder& out) {
  const bool apart = !overlap(own, into) && in_one_buffer(into);
  const Slices landing = apart ? into : Slices{out.scratch(size_of(own))};
  round.recv(landing, peer);
  if (side == Received::left) {
    out.reduce(landing, own, into);
  } else {
    out.reduce(own, landing, into);
  }
}

Running::Running(const Call& call, const Slice& value, const Slice& target, int combinations,
                 ScheduleBuilder& out, int at_once)
    : call_(call),
      out_(out),
      value_(value),
      target_(target),
      spares_(static_cast<std::size_t>(at_once) + 1),
      left_to_come_(combinations) {}

// The target and places in scratch by turns, the target last: while two operands are combined the
// next arrive. The value is in the way only before the first round of an in-place call.
Slice Running::landing() {
  const auto turn = static_cast<std::size_t>(--left_to_come_) % (spares_.size() + 1);
  if (turn == 0 && value_ != target_) return target_;
  Slice& spare = spares_[turn == 0 ? 0 : turn - 1];
  if (spare.size == 0) spare = out_.scratch(value_.size);
  return spare;
}

void Running::combine(const Slice& left, const Slice& right, const Slice& into) {
  out_.reduce(call_.operands(left), {right}, {into});
  value_ = into;
}

void Running::receive_left(Round& round, Rank peer) {
  const Slice received = landing();
  round.recv(received, peer);
  combine(received, value_, received);
}

void Running::receive_right(Round& round, Rank peer) {
  const Slice received = landing();
  round.recv(received, peer);
  combine(value_, received, received);
}

void Running::combine_right(const Slice& right) { combine(value_, right, landing()); }

void Running::settle() { out_.copy(value_, target_); }

}  // namespace tutti::phase
