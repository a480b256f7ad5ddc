#include "interpret/hockney.hpp"

#include <utility>

namespace tutti {

void Hockney::ready(std::size_t message, double now) {
  events_.at(now, EventKind::message_ready, message, messages_[message].round);
}

void Hockney::occupy(std::size_t port, double until) {
  ports_[port].free_at = until;
  if (until < events_.never()) events_.at(until, EventKind::port_free, port);
}

// The first message that waits tries again; if it has to wait for another port, the next tries.
void Hockney::port_free(std::size_t port, double now) {
  auto& waiting = ports_[port].waiting;
  if (waiting.empty()) return;
  const std::size_t message = std::get<std::size_t>(waiting.top());
  waiting.pop();
  messages_[message].place = port;
  ready(message, now);
}

void Hockney::wait_for(std::size_t port, std::size_t index, double now) {
  Message& message = messages_[index];
  ports_[port].waiting.emplace(message.round, events_.number(), index);
  const std::size_t before = std::exchange(message.place, Message::nowhere);
  if (before != Message::nowhere && !events_.after(ports_[before].free_at, now)) {
    port_free(before, now);
  }
}

void Hockney::transfer(std::size_t index, double now) {
  const Message& message = messages_[index];
  const Path way = path(message);
  for (std::size_t i = 0; i < way.length; ++i) {
    if (events_.after(ports_[way.ports[i]].free_at, now)) {
      return wait_for(way.ports[i], index, now);
    }
  }
  if (is_near(message)) {
    for (std::size_t i = 0; i < way.length; ++i) occupy(way.ports[i], events_.never());
    events_.at(now + latency(message), EventKind::data_starts, index);
    return;
  }
  const double data = weight(message) * machine_.beta;
  const double done = now + latency(message) + data;
  for (std::size_t i = 0; i < way.length; ++i) occupy(way.ports[i], i < 2 ? done : now + data);
  deliver(message, done);
}

void Hockney::deliver(const Message& message, double done) {
  ends_.sent(message, done);
  ends_.received(message, done);
}

// Only those that stay on a node share anything: its memory.
void Hockney::passed(std::size_t index, double now) {
  const Message& message = messages_[index];
  deliver(message, now);
  const Path way = path(message);
  occupy(way.ports[0], now);
  occupy(way.ports[1], now);
}

}  // namespace tutti
