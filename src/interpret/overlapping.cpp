#include "interpret/overlapping.hpp"

#include <algorithm>
#include <limits>

namespace tutti {

static constexpr int last_round = std::numeric_limits<int>::max();

void Overlapping::ready(std::size_t message, double now) {
  events_.at(now, EventKind::message_ready, message, messages_[message].round);
}

void Overlapping::receive_posted(std::size_t message, double now) {
  messages_[message].wanted = now;
  if (messages_[message].arrived >= 0) arrive(message, now);
}

// For how long a message keeps the processor at each of its ends busy.
double Overlapping::busy_time(const Message& message) const {
  return is_near(message) ? machine_.near_busy * machine_.near_alpha
                          : machine_.busy * machine_.alpha;
}

void Overlapping::occupy(Rank rank, double until) {
  processor(rank).free_at = until;
  events_.at(until, EventKind::port_free, static_cast<std::size_t>(rank));
}

// A processor goes on at once: with a message to send, or with one that has arrived.
void Overlapping::port_free(std::size_t rank, double now) {
  auto& [free_at, waiting] = processors_[rank];
  if (waiting.empty()) return;
  const std::size_t message = std::get<std::size_t>(waiting.top());
  const bool arrived = messages_[message].arrived >= 0;
  if (arrived && events_.after(free_at, now)) return;
  waiting.pop();
  arrived ? process_arrival(message, now) : transfer(message, now);
}

void Overlapping::transfer(std::size_t index, double now) {
  const Message& message = messages_[index];
  Port& own = processor(message.from);
  if (events_.after(own.free_at, now)) {
    own.waiting.emplace(message.round, events_.number(), index);
    return;
  }
  if (is_by_memory(message)) return publish(index, now);
  // What waits for its receiver is asked for first, and then sent; who shares memory need not ask.
  const double busy = busy_time(message);
  const double asking = message.runs_ahead || is_near(message) ? 0 : busy;
  occupy(message.from, now + asking + busy);
  const double seen_to = message.runs_ahead ? busy : 0;
  events_.at(now + asking + latency(message) - seen_to, EventKind::data_starts, index);
  if (message.runs_ahead) ends_.sent(message, now + busy);
}

void Overlapping::passed(std::size_t index, double now) {
  const Message& message = messages_[index];
  if (message.runs_ahead || is_by_memory(message)) return arrive(index, now);
  ends_.sent(message, now);
  ends_.received(message, now);
}

// When its receive is posted, the receiver's processor sees to it: after the messages the receiver
// has to send, as these were posted before it waited for this one.
void Overlapping::arrive(std::size_t index, double now) {
  Message& message = messages_[index];
  if (message.arrived < 0) message.arrived = now;
  if (message.recv == Message::none) return;
  auto& [free_at, waiting] = processor(message.to);
  if (waiting.empty() || !events_.after(free_at, now)) return process_arrival(index, now);
  waiting.emplace(last_round, events_.number(), index);
}

void Overlapping::process_arrival(std::size_t index, double now) {
  const Message& message = messages_[index];
  if (is_by_memory(message)) return take(index);
  const double done = std::max(now, processor(message.to).free_at) + busy_time(message);
  occupy(message.to, done);
  ends_.received(message, done);
}

// Its data, or where they lie, if it does not run ahead.
void Overlapping::publish(std::size_t index, double now) {
  const SharedMemory& memory = machine_.memory;
  Message& message = messages_[index];
  const double written = message.runs_ahead && !message.is_repeated ? message.bytes : 0;
  const double until = now + memory.entry + written * memory.copy;
  message.there =
      now + memory.entry + std::min(written, memory.step) * memory.copy + memory.latency;
  copied_ += written;
  occupy(message.from, until);
  events_.at(now + memory.entry, EventKind::data_starts, index);
  if (message.runs_ahead) ends_.sent(message, until);
}

// All of it has passed the node's memory, as far as others let it. Its receiver may have begun
// before that, but ends a step after it.
void Overlapping::take(std::size_t index) {
  const SharedMemory& memory = machine_.memory;
  const Message& message = messages_[index];
  const bool is_lent = !message.runs_ahead;
  const double each = (is_lent ? memory.lent_copy : 0) + (message.is_combined ? machine_.gamma
                                                          : is_lent           ? 0
                                                                              : memory.copy);
  const double work = memory.entry + (is_lent ? memory.lending : 0) + message.bytes * each;
  const double last = memory.latency + (is_lent ? 0 : std::min(message.bytes, memory.step) * each);
  const double begin = std::max({message.there, message.wanted, processor(message.to).free_at});
  const double done = std::max(begin + work, message.arrived + last);
  if (is_lent || !message.is_combined) copied_ += message.bytes;
  occupy(message.to, done);
  ends_.received(message, done);
  if (is_lent) ends_.sent(message, done + memory.latency);
}

}  // namespace tutti
