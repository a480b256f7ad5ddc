#include "interpret/network.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tutti {

static constexpr std::size_t no_port = ~std::size_t{0};
static constexpr int last_round = std::numeric_limits<int>::max();

static std::size_t nodes_of(const Placement* placement) {
  return static_cast<std::size_t>(placement != nullptr ? placement->nodes() : 0);
}

// Where messages overlap, a port of its stands for a rank's processor.
static std::size_t processor(Rank rank) { return 2 * static_cast<std::size_t>(rank); }

Network::Network(std::size_t ranks, const Machine& machine, const Placement* placement,
                 EventQueue& events, Ends& ends)
    : ranks_(ranks),
      machine_(machine),
      placement_(placement),
      events_(events),
      ends_(ends),
      ports_(2 * (ranks + nodes_of(placement))),
      shared_(ports_.size(), FairQueue(machine.beta, machine.beta)) {
  const FairQueue memory(machine.near_beta, machine.near_together);
  shared_.insert(shared_.end(), nodes_of(placement), memory);
}

std::size_t Network::add(Rank from, Rank to) {
  messages_.push_back({.from = from, .to = to, .woken_by = no_port});
  return messages_.size() - 1;
}

void Network::ready(std::size_t message, double now) {
  events_.at(now, EventKind::message_ready, message, messages_[message].round);
}

void Network::receive_posted(std::size_t message, double now) {
  if (messages_[message].arrived >= 0) arrive(message, now);
}

void Network::handle(const Event& event) {
  switch (event.what) {
    case EventKind::rank_goes_on:
      return;
    case EventKind::port_free:
      return wake_next(event.subject, event.time);
    case EventKind::data_passed:
      return pass(event);
    case EventKind::data_starts:
      return start(event.subject, event.time);
    case EventKind::message_ready:
      return transfer(event.subject, event.time);
  }
}

bool Network::is_near(const Message& message) const {
  return placement_ != nullptr && placement_->node(message.from) == placement_->node(message.to);
}

double Network::latency(const Message& message) const {
  if (is_near(message)) return machine_.near_alpha;
  return machine_.alpha * (message.one_way ? machine_.f_alpha : 1);
}

// Bytes, as many as take this time both ways.
double Network::weight(const Message& message) const {
  return message.bytes * (message.one_way && !is_near(message) ? machine_.f_beta : 1);
}

// For how long a message keeps the processor at each of its ends busy.
double Network::busy_time(const Message& message) const {
  return is_near(message) ? machine_.near_busy * machine_.near_alpha
                          : machine_.busy * machine_.alpha;
}

Network::Path Network::path(const Message& message) const {
  const auto from = static_cast<std::size_t>(message.from);
  const auto to = static_cast<std::size_t>(message.to);
  if (placement_ == nullptr || is_near(message)) return {{2 * from, 2 * to + 1}, 2};
  const std::size_t first = 2 * ranks_;
  return {{2 * from, 2 * to + 1, first + 2 * node(message.from), first + 2 * node(message.to) + 1},
          4};
}

void Network::occupy(std::size_t port, double until) {
  ports_[port].free_at = until;
  if (until < events_.never()) events_.at(until, EventKind::port_free, port);
}

// The first message that waits for the port tries again; if it has to wait for another one, the
// next tries. A processor goes on at once: with a message to send, or with one that has arrived.
void Network::wake_next(std::size_t port, double now) {
  auto& [free_at, waiting] = ports_[port];
  if (waiting.empty()) return;
  const std::size_t message = std::get<std::size_t>(waiting.top());
  const bool arrived = messages_[message].arrived >= 0;
  if (arrived && events_.after(free_at, now)) return;
  waiting.pop();
  if (arrived) return process_arrival(message, now);
  if (overlaps()) return transfer(message, now);
  messages_[message].woken_by = port;
  ready(message, now);
}

void Network::wait_for(std::size_t port, std::size_t index, double now) {
  Message& message = messages_[index];
  ports_[port].waiting.emplace(message.round, events_.number(), index);
  const std::size_t before = std::exchange(message.woken_by, no_port);
  if (before != no_port && !events_.after(ports_[before].free_at, now)) wake_next(before, now);
}

// Starts the message, unless what it needs is busy.
void Network::transfer(std::size_t index, double now) {
  const Message& message = messages_[index];
  const Path way = overlaps() ? Path{{processor(message.from)}, 1} : path(message);
  for (std::size_t i = 0; i < way.length; ++i) {
    if (events_.after(ports_[way.ports[i]].free_at, now)) {
      return wait_for(way.ports[i], index, now);
    }
  }
  if (!overlaps()) {
    if (!is_near(message)) return transfer_hockney(message, way, now);
    for (std::size_t i = 0; i < way.length; ++i) occupy(way.ports[i], events_.never());
    events_.at(now + latency(message), EventKind::data_starts, index);
    return;
  }
  // What waits for its receiver is asked for first, and then sent; who shares memory need not ask.
  const double busy = busy_time(message);
  const double asking = message.runs_ahead || is_near(message) ? 0 : busy;
  occupy(way.ports[0], now + asking + busy);
  const double seen_to = message.runs_ahead ? busy : 0;
  events_.at(now + asking + latency(message) - seen_to, EventKind::data_starts, index);
  if (message.runs_ahead) ends_.sent(message, now + busy);
}

// The next message of its ranks starts when this one is through.
void Network::transfer_hockney(const Message& message, const Path& way, double now) {
  const double data = weight(message) * machine_.beta;
  const double done = now + latency(message) + data;
  for (std::size_t i = 0; i < way.length; ++i) occupy(way.ports[i], i < 2 ? done : now + data);
  ends_.sent(message, done);
  ends_.received(message, done);
}

// Its latency is over: from now on it shares with others.
void Network::start(std::size_t index, double now) {
  Message& message = messages_[index];
  Path way = path(message);
  if (is_near(message)) way = {{ports_.size() + node(message.from)}, 1};
  const bool in_order = message.bytes <= machine_.in_order && !is_near(message);
  message.to_pass = way.length;
  for (std::size_t i = 0; i < way.length; ++i) {
    shared_[way.ports[i]].join(index, weight(message), in_order, now);
    expect(way.ports[i], now);
  }
}

void Network::expect(std::size_t place, double now) {
  FairQueue& shared = shared_[place];
  if (shared.is_idle()) return;
  shared.expected = events_.at(shared.next(now), EventKind::data_passed, place);
}

void Network::pass(const Event& event) {
  FairQueue& shared = shared_[event.subject];
  if (event.sequence != shared.expected) return;  // another message has joined since
  const std::size_t index = shared.leave(event.time);
  Message& message = messages_[index];
  expect(event.subject, event.time);
  if (--message.to_pass > 0) return;
  if (!message.runs_ahead) ends_.sent(message, event.time);
  if (message.runs_ahead && overlaps()) return arrive(index, event.time);
  ends_.received(message, event.time);
  if (overlaps()) return;
  const Path way = path(message);
  occupy(way.ports[0], event.time);
  occupy(way.ports[1], event.time);
}

// When its receive is posted, the receiver's processor sees to it: after the messages the receiver
// has to send, as these were posted before it waited for this one.
void Network::arrive(std::size_t index, double now) {
  Message& message = messages_[index];
  message.arrived = now;
  if (message.recv == Message::none) return;
  auto& [free_at, waiting] = ports_[processor(message.to)];
  if (waiting.empty() || !events_.after(free_at, now)) return process_arrival(index, now);
  waiting.emplace(last_round, events_.number(), index);
}

void Network::process_arrival(std::size_t index, double now) {
  const Message& message = messages_[index];
  const std::size_t place = processor(message.to);
  const double done = std::max(now, ports_[place].free_at) + busy_time(message);
  occupy(place, done);
  ends_.received(message, done);
}

}  // namespace tutti
