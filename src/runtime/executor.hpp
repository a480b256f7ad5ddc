// Runs one rank's schedule over a transport.
//
// A scoreboard worked out in advance: the schedule says what every step waits for, so running it is
// one pass over the steps, with no allocation and no lock. A transport offers
//   void send(const Step&, std::uint32_t number);   start a message; it may complete at once
//   void recv(const Step&, std::uint32_t number);
//   void wait(const Step&);                         complete the message in step.slot
//   void wait_for_all();                            complete all of them, in any order
//   void reduce(const Step&, std::uint32_t number);
//   void copy(const Step&, std::uint32_t number);
#pragma once

#include "schedule/schedule.hpp"

namespace tutti {

// A library may look at all of them for each that ends.
inline constexpr int most_waited_for_at_once = 128;

// All steps from `first` on; messages that none of them waits for stay under way.
template <class Transport>
void issue(const Schedule& schedule, Transport& transport, std::uint32_t first = 0) {
  const Step* steps = schedule.steps.data();
  const auto count = static_cast<std::uint32_t>(schedule.steps.size());
  for (std::uint32_t i = first; i < count; ++i) {
    const Step& step = steps[i];
    for (std::uint32_t w = 0; w < step.wait_count; ++w) {
      transport.wait(steps[schedule.waits[step.waits + w]]);
    }
    switch (step.kind) {
      case Kind::send:
        transport.send(step, i);
        break;
      case Kind::recv:
        transport.recv(step, i);
        break;
      case Kind::reduce:
        transport.reduce(step, i);
        break;
      case Kind::copy:
        transport.copy(step, i);
        break;
    }
  }
}

// All steps but the first ones, if those were issued before.
template <class Transport>
void execute(const Schedule& schedule, Transport& transport, std::uint32_t first = 0) {
  issue(schedule, transport, first);
  if (schedule.last_waits.size() > 1 && schedule.slots <= most_waited_for_at_once) {
    transport.wait_for_all();
  } else {
    for (std::uint32_t number : schedule.last_waits) transport.wait(schedule.steps[number]);
  }
}

}  // namespace tutti
