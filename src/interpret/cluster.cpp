#include "interpret/cluster.hpp"

namespace tutti {

Cluster::Cluster(std::size_t ranks, const Machine& machine, const Placement* placement,
                 EventQueue& events, Ends& ends)
    : Network(events, ends), machine_(machine), ranks_(ranks), placement_(placement) {
  shared_.assign(port_count(), FairQueue(machine.beta, machine.beta));
  const bool by_memory = machine.inside == Inside::memory;
  const FairQueue memory(by_memory ? machine.memory.copy : machine.near_beta,
                         by_memory ? machine.memory.together : machine.near_together);
  shared_.insert(shared_.end(), nodes(), memory);
}

void Cluster::handle(const Event& event) {
  switch (event.what()) {
    case EventKind::rank_goes_on:
      return;
    case EventKind::port_free:
      return port_free(event.subject, event.time);
    case EventKind::data_passed:
      return pass(event);
    case EventKind::data_starts:
      return start(event.subject, event.time);
    case EventKind::message_ready:
      return transfer(event.subject, event.time);
  }
}

double Cluster::latency(const Message& message) const {
  if (is_near(message)) return machine_.near_alpha;
  return machine_.alpha * (message.one_way ? machine_.f_alpha : 1);
}

// Bytes, as many as take this time both ways.
double Cluster::weight(const Message& message) const {
  return message.bytes * (message.one_way && !is_near(message) ? machine_.f_beta : 1);
}

Cluster::Path Cluster::path(const Message& message) const {
  const auto from = static_cast<std::size_t>(message.from);
  const auto to = static_cast<std::size_t>(message.to);
  if (placement_ == nullptr || is_near(message)) return {{2 * from, 2 * to + 1}, 2};
  const std::size_t first = 2 * ranks_;
  return {{2 * from, 2 * to + 1, first + 2 * node(message.from), first + 2 * node(message.to) + 1},
          4};
}

// Its latency is over: from now on it shares with others.
void Cluster::start(std::size_t index, double now) {
  Message& message = messages_[index];
  Path way = path(message);
  if (is_near(message)) way = {{port_count() + node(message.from)}, 1};
  const bool in_order = message.bytes <= machine_.in_order && !is_near(message);
  message.to_pass = way.length;
  for (std::size_t i = 0; i < way.length; ++i) {
    shared_[way.ports[i]].join(index, weight(message), in_order, now);
    expect(way.ports[i], now);
  }
}

void Cluster::expect(std::size_t place, double now) {
  FairQueue& shared = shared_[place];
  if (shared.is_idle()) return;
  shared.expected = events_.at(shared.next(now), EventKind::data_passed, place);
}

void Cluster::pass(const Event& event) {
  FairQueue& shared = shared_[event.subject];
  if (event.number() != shared.expected) return;  // another message has joined since
  const std::size_t index = shared.leave(event.time);
  expect(event.subject, event.time);
  if (--messages_[index].to_pass == 0) passed(index, event.time);
}

}  // namespace tutti
