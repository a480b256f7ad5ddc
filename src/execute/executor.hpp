// Runs one rank's schedule over a transport.
//
// A scoreboard worked out in advance: the schedule says what every step waits for, so running it is
// one pass over the steps, with no allocation and no lock. The pass may stop where a message is not
// complete, and go on later. A transport offers
//   void send(const Step&, std::uint32_t number);   start a message; it may complete at once
//   void recv(const Step&, std::uint32_t number);
//   void exchange(const Step&, std::uint32_t number);  start it and the one after it
//   void wait(const Step&);                         complete the message in step.slot
//   bool test(const Step&);                         complete it if that takes no waiting
//   bool is_complete(const Step&);                  whether one of these has completed it
//   void wait_for_some(std::span<const Step* const>);  complete one of them at least
//   void wait_for_all();                            complete all of them, in any order
//   void reduce(const Step&, std::uint32_t number);
//   void copy(const Step&, std::uint32_t number);
// and, if its carriage asks for any (passes/lowering.hpp),
//   void recv_reduce(const Step&, std::uint32_t number);  combine what has come for step.slot
#pragma once

#include <array>
#include <span>

#include "schedule/schedule.hpp"

namespace tutti {

// A library may look at all of them for each that ends.
inline constexpr int most_waited_for_at_once = 128;

// What to do where a message is not complete.
enum class Waiting : std::uint8_t {
  block,  // wait for it
  poll,   // leave, and look again when asked to go on
};

// Where the execution of a schedule has come to.
struct Cursor {
  struct Place {
    std::uint32_t step = 0, wait = 0;  // to issue; in its wait list
  };
  std::array<Place, most_strands> strands{};
  std::uint32_t last_wait = 0;
};

template <class Transport>
concept CombinesMessages = requires(Transport transport, const Step& step, std::uint32_t number) {
  transport.recv_reduce(step, number);
};

// Inline: out of line, a cached call takes a twelfth more instructions over Open MPI.
template <class Transport>
[[gnu::always_inline]] inline void perform(const Step& step, std::uint32_t number,
                                           Transport& transport) {
  switch (step.kind) {
    case Kind::send:
      return transport.send(step, number);
    case Kind::recv:
      return transport.recv(step, number);
    case Kind::reduce:
      return transport.reduce(step, number);
    case Kind::copy:
      return transport.copy(step, number);
    case Kind::recv_reduce:
      if constexpr (CombinesMessages<Transport>) return transport.recv_reduce(step, number);
      __builtin_unreachable();  // others have none
  }
}

// Whether the message is complete; always, where it may be waited for.
template <Waiting waiting, class Transport>
bool completes(const Step& message, Transport& transport) {
  if constexpr (waiting == Waiting::poll)
    return transport.test(message);
  else
    return transport.wait(message), true;
}

// Whether what a step receives to combine has come. Posts the receive the first time, when it has
// passed its wait list.
template <class Transport, class IsComplete>
bool has_come(const Step& step, std::uint32_t number, std::uint32_t& passed, Transport& transport,
              const IsComplete& is_complete) {
  if constexpr (CombinesMessages<Transport>) {
    if (step.kind != Kind::recv_reduce) return true;
    if (passed == step.wait_count) {
      transport.recv(step, number);
      ++passed;
    }
    return is_complete(step);
  }
  return true;
}

// All steps from `place` on, of a schedule of one strand; messages that none of them waits for stay
// under way. False if it has to go on later.
template <Waiting waiting, class Transport>
bool issue(const Schedule& schedule, Transport& transport, Cursor::Place& place) {
  const Step* steps = schedule.steps.data();
  const auto count = static_cast<std::uint32_t>(schedule.steps.size());
  const auto is_complete = [&](const Step& message) {
    return completes<waiting>(message, transport);
  };
  auto [i, w] = place;
  for (; i < count; ++i, w = 0) {
    const Step& step = steps[i];
    while (w < step.wait_count && is_complete(steps[schedule.waits[step.waits + w]])) ++w;
    if (w < step.wait_count || !has_come(step, i, w, transport, is_complete)) {
      place = {i, w};
      return false;
    }
    if (step.joined)
      transport.exchange(step, i++);
    else
      perform(step, i, transport);
  }
  if constexpr (waiting == Waiting::poll) place = {i, 0};
  return true;
}

// The same where there are several strands: a step of each by turns, and where all have to wait,
// until one of them need not.
template <Waiting waiting, class Transport>
bool issue_strands(const Schedule& schedule, Transport& transport, Cursor& cursor) {
  const Step* steps = schedule.steps.data();
  const auto count = static_cast<std::uint32_t>(schedule.steps.size());
  const auto strands = static_cast<std::size_t>(schedule.strands);
  std::array<const Step*, most_strands> awaited{};
  const auto is_complete = [&](const Step& message) {
    if constexpr (waiting == Waiting::poll)
      return transport.test(message);
    else
      return transport.is_complete(message);
  };
  for (;;) {
    std::size_t waiting_strands = 0;
    bool went_on = false;
    for (std::size_t s = 0; s < strands; ++s) {
      auto& [at, wait] = cursor.strands[s];
      while (at < count && steps[at].strand != s) ++at;
      if (at == count) continue;
      const Step& step = steps[at];
      const auto waited = [&, &wait = wait] { return &steps[schedule.waits[step.waits + wait]]; };
      while (wait < step.wait_count && is_complete(*waited())) ++wait;
      if (wait < step.wait_count) {
        awaited[waiting_strands++] = waited();
        continue;
      }
      if (!has_come(step, at, wait, transport, is_complete)) {
        awaited[waiting_strands++] = &step;
        continue;
      }
      perform(step, at, transport);
      cursor.strands[s] = {at + 1, 0};
      went_on = true;
    }
    if (went_on) continue;
    if (waiting_strands == 0) return true;
    if constexpr (waiting == Waiting::poll)
      return false;
    else
      transport.wait_for_some(std::span(awaited).first(waiting_strands));
  }
}

// Goes on from where the cursor is, to the end if it may wait. True once the schedule is over.
template <Waiting waiting, class Transport>
bool advance(const Schedule& schedule, Transport& transport, Cursor& cursor) {
  const bool all_issued = schedule.strands > 1
                              ? issue_strands<waiting>(schedule, transport, cursor)
                              : issue<waiting>(schedule, transport, cursor.strands[0]);
  if (!all_issued) return false;
  const std::size_t last = schedule.last_waits.size();
  if constexpr (waiting == Waiting::block) {
    if (last > 1 && schedule.slots <= most_waited_for_at_once) {
      transport.wait_for_all();
      return true;
    }
  }
  for (std::uint32_t& at = cursor.last_wait; at < last; ++at) {
    if (!completes<waiting>(schedule.steps[schedule.last_waits[at]], transport)) return false;
  }
  return true;
}

// All of it.
template <class Transport>
void execute(const Schedule& schedule, Transport& transport) {
  Cursor cursor;
  advance<Waiting::block>(schedule, transport, cursor);
}

}  // namespace tutti
