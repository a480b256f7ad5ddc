// What is to happen while schedules run, in the order of simulated time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace tutti {

enum class EventKind : std::uint8_t {
  rank_goes_on,
  port_free,
  data_passed,
  data_starts,
  message_ready
};

// Later events compare greater; at one time ranks go on first, then messages start by round.
struct Event {
  std::int64_t instant;
  double time;
  EventKind what;
  int round;
  std::int64_t sequence;
  std::size_t subject;  // rank, port or message

  bool operator>(const Event& other) const {
    return std::tie(instant, what, round, sequence) >
           std::tie(other.instant, other.what, other.round, other.sequence);
  }
};

class EventQueue {
 public:
  // Times that differ by less, in seconds, are one instant: what happens then happens by round.
  explicit EventQueue(double shortest_time) : shortest_time_(shortest_time) {}

  bool after(double time, double now) const { return instant(time) > instant(now); }
  double never() const { return 1e18 * shortest_time_; }
  // A number greater than those before: of an event, or of who waits.
  std::int64_t number() { return ++last_number_; }

  // Returns the number of the event.
  std::int64_t at(double time, EventKind what, std::size_t subject, int round = 0) {
    events_.push({instant(time), time, what, round, number(), subject});
    return last_number_;
  }
  bool is_empty() const { return events_.empty(); }
  Event next() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

 private:
  std::int64_t instant(double time) const { return std::llround(time / shortest_time_); }

  double shortest_time_;
  std::int64_t last_number_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace tutti
