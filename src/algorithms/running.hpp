// What a rank receives, combined with what it has.
#pragma once

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// The side of the operator on which what was received goes.
enum class Received : std::uint8_t { left, right };

// Receives a partial result from `peer` and combines it with `own`, leaving the result in `into`.
// The message lands in `into` if `own` is elsewhere, so nothing is copied, or else in scratch.
void combine_from(Round round, Rank peer, Received side, const Slices& own, const Slices& into,
                  ScheduleBuilder& out);

// The vector a rank accumulates over several rounds. Received operands land in memory that does not
// hold the value, and the combination takes their place: what is being sent is never overwritten,
// and the last combination ends in `target`.
class Running {
 public:
  // So many messages at a time may be on their way to this rank.
  Running(const Call& call, const Slice& value, const Slice& target, int combinations,
          ScheduleBuilder& out, int at_once = 1);

  const Slice& value() const { return value_; }
  // value = received op value, or value op received.
  void receive_left(Round& round, Rank peer);
  void receive_right(Round& round, Rank peer);
  void receive(Received side, Round& round, Rank peer) {
    side == Received::left ? receive_left(round, peer) : receive_right(round, peer);
  }
  // value = value op right, which is here already.
  void combine_right(const Slice& right);
  // Puts the value into the target, if it is not there.
  void settle();

 private:
  Slice landing();
  void combine(const Slice& left, const Slice& right, const Slice& into);

  const Call& call_;
  ScheduleBuilder& out_;
  Slice value_;
  Slice target_;
  std::vector<Slice> spares_;
  int left_to_come_;
};

}  // namespace tutti::phase
