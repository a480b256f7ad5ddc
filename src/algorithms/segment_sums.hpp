// Sums of a message's segments, which are combined while the next ones travel.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/running.hpp"

namespace tutti::phase {

// Each segment is the rank's own operand until something is combined with it.
class SegmentSums {
 public:
  // `longest`: units of the message's longest segment.
  SegmentSums(Slices own, Units longest, ScheduleBuilder& out)
      : values_(std::move(own)), longest_(longest), out_(out) {}

  int count() const { return static_cast<int>(values_.size()); }
  // As it is before what was received last is combined.
  const Slice& current(int k) const { return values_[static_cast<std::size_t>(k)]; }
  // Complete, if all that is to be combined has been received.
  const Slice& value(int k);
  // Scratch for a segment to land in; the same for the same number.
  Slice spare(std::size_t number, int k);
  // What is received is combined one round later, or when the value is needed: the next messages
  // are then under way. The sum is left in `target`; without one, where an operand was in scratch.
  void receive(Round& round, Rank peer, Received side, int k, const Slice& landing,
               const std::optional<Slice>& target);
  void combine();

 private:
  struct Arrival {
    int k;
    Received side;
    Slice landing;
    std::optional<Slice> target;
  };

  Slices values_;
  Units longest_;
  ScheduleBuilder& out_;
  std::optional<Arrival> last_;
  Slices spares_;
};

}  // namespace tutti::phase
