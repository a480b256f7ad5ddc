// What is to happen while schedules run, in the order of simulated time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace tutti {

enum class EventKind : std::uint8_t {
  rank_goes_on,
  port_free,
  data_passed,
  data_starts,
  message_ready
};

// Later events compare greater; at one instant ranks go on first, then messages start by round.
struct Event {
  std::int64_t instant;
  std::uint64_t order;  // kind, round, number
  double time;
  std::size_t subject;  // rank, port or message

  EventKind what() const { return static_cast<EventKind>(order >> 60); }
  std::uint32_t number() const { return static_cast<std::uint32_t>(order); }
  bool operator>(const Event& other) const {
    const auto key = [](const Event& event) {
      return static_cast<unsigned __int128>(event.instant) << 64 | event.order;
    };
    return key(*this) > key(other);
  }
};

class EventQueue {
 public:
  // Times that differ by less, in seconds, are one instant: what happens then happens by round.
  explicit EventQueue(double shortest_time) : shortest_time_(shortest_time) {}

  bool after(double time, double now) const { return instant(time) > instant(now); }
  double never() const { return 1e18 * shortest_time_; }
  // A number greater than those before: of an event, or of who waits.
  std::uint32_t number() { return ++last_number_; }

  // Returns the number of the event.
  std::uint32_t at(double time, EventKind what, std::size_t subject, int round = 0) {
    const std::uint64_t order =
        static_cast<std::uint64_t>(what) << 60 | static_cast<std::uint64_t>(round) << 32 | number();
    events_.push({instant(time), order, time, subject});
    return last_number_;
  }
  bool is_empty() const { return events_.empty(); }
  Event next() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

 private:
  // Rounded; times are not negative.
  std::int64_t instant(double time) const {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings)
    return static_cast<std::int64_t>(time / shortest_time_ + 0.5);
  }

  double shortest_time_;
  std::uint32_t last_number_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace tutti
