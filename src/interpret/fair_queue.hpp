// What messages share that are under way together: a connection to the network in one direction, or
// the memory of a node. Each gets an equal part of what it can do, but no more than one alone.
// Those that pass in order count as one, and the first of them to join has that part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace tutti {

class FairQueue {
 public:
  // Seconds per byte.
  FairQueue(double alone, double together) : alone_(alone), together_(together) {}

  void join(std::size_t message, double bytes, bool in_order, double now) {
    catch_up(now);
    const double begin = in_order ? std::max(last_, served_) : served_;
    if (in_order) last_ = begin + bytes;
    ++(in_order ? queue_ : side_by_side_);
    active_.emplace(begin + bytes, in_order, message);
  }
  bool is_idle() const { return active_.empty(); }
  // When the next message will be through if none joins before.
  double next(double now) const {
    return now + std::max(std::get<double>(active_.top()) - served_, 0.0) * seconds_per_byte();
  }
  // The message that is through now.
  std::size_t leave(double now) {
    catch_up(now);
    const auto [end, in_order, message] = active_.top();
    active_.pop();
    --(in_order ? queue_ : side_by_side_);
    return message;
  }
  std::uint32_t expected = 0;  // the event that tells of the next message

 private:
  double seconds_per_byte() const {
    const int passing = side_by_side_ + (queue_ > 0 ? 1 : 0);
    return std::max(alone_, passing * together_);
  }
  void catch_up(double now) {
    const double each = seconds_per_byte();
    if (!active_.empty() && each > 0) served_ += (now - since_) / each;
    since_ = now;
  }

  using Active = std::tuple<double, bool, std::size_t>;  // bytes served when it is through; in
                                                         // order; message
  double alone_, together_;
  double served_ = 0;  // bytes of a message that has always been here
  double last_ = 0;    // served when the last of those in order is through
  int queue_ = 0, side_by_side_ = 0;
  double since_ = 0;
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active_;
};

}  // namespace tutti
