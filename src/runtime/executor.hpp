// Runs one rank's schedule over a transport.
//
// A scoreboard worked out in advance: the schedule says what every step waits for, so running it is
// one pass over the steps, with no allocation and no lock. A transport offers
//   void send(const Step&, std::uint32_t number);   start a message; it may complete at once
//   void recv(const Step&, std::uint32_t number);
//   void wait(const Step&);                         complete the message in step.slot
//   bool is_complete(const Step&);                  whether one of these has completed it
//   void wait_for_some(std::span<const Step* const>);  complete one of them at least
//   void wait_for_all();                            complete all of them, in any order
//   void reduce(const Step&, std::uint32_t number);
//   void copy(const Step&, std::uint32_t number);
#pragma once

#include <array>
#include <span>

#include "schedule/schedule.hpp"

namespace tutti {

// A library may look at all of them for each that ends.
inline constexpr int most_waited_for_at_once = 128;

template <class Transport>
void perform(const Step& step, std::uint32_t number, Transport& transport) {
  switch (step.kind) {
    case Kind::send:
      return transport.send(step, number);
    case Kind::recv:
      return transport.recv(step, number);
    case Kind::reduce:
      return transport.reduce(step, number);
    case Kind::copy:
      return transport.copy(step, number);
  }
}

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
    perform(step, i, transport);
  }
}

// The same where there are several strands: a step of each by turns, and where all have to wait,
// until one of them need not.
template <class Transport>
void issue_strands(const Schedule& schedule, Transport& transport) {
  struct Place {
    std::uint32_t step = 0, wait = 0;  // to issue; in its wait list
  };
  const Step* steps = schedule.steps.data();
  const auto count = static_cast<std::uint32_t>(schedule.steps.size());
  std::array<Place, most_strands> places{};
  std::array<const Step*, most_strands> awaited{};
  const auto find_next = [&](std::size_t strand) {
    std::uint32_t& at = places[strand].step;
    while (at < count && steps[at].strand != strand) ++at;
  };
  const auto strands = static_cast<std::size_t>(schedule.strands);
  for (std::size_t s = 0; s < strands; ++s) find_next(s);
  for (;;) {
    std::size_t waiting = 0;
    bool went_on = false;
    for (std::size_t s = 0; s < strands; ++s) {
      auto& [at, wait] = places[s];
      if (at == count) continue;
      const Step& step = steps[at];
      const auto waited = [&] { return &steps[schedule.waits[step.waits + wait]]; };
      while (wait < step.wait_count && transport.is_complete(*waited())) ++wait;
      if (wait < step.wait_count) {
        awaited[waiting++] = waited();
        continue;
      }
      perform(step, at, transport);
      places[s] = {at + 1, 0};
      find_next(s);
      went_on = true;
    }
    if (went_on) continue;
    if (waiting == 0) return;
    transport.wait_for_some(std::span(awaited).first(waiting));
  }
}

// All steps but the first ones, if those were issued before.
template <class Transport>
void execute(const Schedule& schedule, Transport& transport, std::uint32_t first = 0) {
  if (schedule.strands > 1) {
    issue_strands(schedule, transport);
  } else {
    issue(schedule, transport, first);
  }
  if (schedule.last_waits.size() > 1 && schedule.slots <= most_waited_for_at_once) {
    transport.wait_for_all();
  } else {
    for (std::uint32_t number : schedule.last_waits) transport.wait(schedule.steps[number]);
  }
}

}  // namespace tutti
