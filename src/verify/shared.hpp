// What messages share that are under way together: a connection to the network in one direction, or
// the memory of a node. Each gets an equal part of what it can do, but no more than one alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace tutti {

class Shared {
 public:
  // Seconds per byte.
  Shared(double alone, double together) : alone_(alone), together_(together) {}

  void join(std::size_t message, double bytes, double now) {
    catch_up(now);
    active_.emplace(served_ + bytes, message);
  }
  bool is_idle() const { return active_.empty(); }
  // When the next message will be through if none joins before.
  double next(double now) const {
    return now + std::max(active_.top().first - served_, 0.0) * seconds_per_byte();
  }
  // The message that is through now.
  std::size_t leave(double now) {
    catch_up(now);
    const std::size_t message = active_.top().second;
    active_.pop();
    return message;
  }
  std::int64_t expected = 0;  // the event that tells of the next message

 private:
  double seconds_per_byte() const {
    return std::max(alone_, static_cast<double>(active_.size()) * together_);
  }
  void catch_up(double now) {
    const double each = seconds_per_byte();
    if (!active_.empty() && each > 0) served_ += (now - since_) / each;
    since_ = now;
  }

  using Active = std::pair<double, std::size_t>;  // bytes served when it is through; message
  double alone_, together_;
  double served_ = 0;  // bytes of a message that has always been here
  double since_ = 0;
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active_;
};

}  // namespace tutti
