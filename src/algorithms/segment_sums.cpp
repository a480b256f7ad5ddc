#include "algorithms/segment_sums.hpp"

#include <algorithm>

namespace tutti::phase {

const Slice& SegmentSums::value(int k) {
  if (last_ && last_->k == k) combine();
  return current(k);
}

Slice SegmentSums::spare(std::size_t number, int k) {
  spares_.resize(std::max(spares_.size(), number + 1));
  Slice& region = spares_[number];
  if (region.size == 0) region = out_.scratch(longest_);
  return part(region, 0, current(k).size);
}

void SegmentSums::receive(Round& round, Rank peer, Received side, int k, const Slice& landing,
                          const std::optional<Slice>& target) {
  round.recv(landing, peer);
  combine();
  last_ = {k, side, landing, target};
}

void SegmentSums::combine() {
  if (!last_) return;
  const auto [k, side, landing, target] = *last_;
  last_.reset();
  Slice& value = values_[static_cast<std::size_t>(k)];
  const bool from_left = side == Received::left;
  const bool stays = from_left && value.buffer == Buffer::scratch;
  const Slice into = target ? *target : stays ? value : landing;
  out_.reduce(from_left ? landing : value, from_left ? value : landing, into);
  value = into;
}

}  // namespace tutti::phase
