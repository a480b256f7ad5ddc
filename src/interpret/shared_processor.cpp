#include "interpret/shared_processor.hpp"

#include <algorithm>

namespace tutti {

void SharedProcessor::ready(std::size_t message, double now) {
  ask(messages_[message].from, {message, true}, now);
}

void SharedProcessor::receive_posted(std::size_t index, double now) {
  const Message& message = messages_[index];
  if (message.arrived >= 0) ends_.received(message, std::max(message.arrived, now));
}

void SharedProcessor::handle(const Event& event) {
  if (event.what() == EventKind::port_free) return serve(event.time);
  if (event.what() == EventKind::data_starts) return reach(event.subject, event.time);
  ask(messages_[event.subject].to, {event.subject, false}, event.time);
}

void SharedProcessor::ask(Rank rank, const Task& task, double now) {
  std::deque<Task>& tasks = host(rank).tasks;
  if (tasks.empty() && rank != served_) asking_.push_back(rank);
  tasks.push_back(task);
  if (served_ < 0) serve(now);
}

// By now the rank that was served has gone on, as far as what it received lets it.
void SharedProcessor::serve(double now) {
  if (served_ < 0 || host(served_).tasks.empty()) {
    served_ = asking_.empty() ? -1 : asking_.front();
    if (served_ < 0) return;
    asking_.pop_front();
  }
  const auto [index, sends] = host(served_).tasks.front();
  host(served_).tasks.pop_front();
  Message& message = messages_[index];
  const double done = now + costs_.message + message.bytes * costs_.byte;
  events_.at(done, EventKind::port_free, 0);
  if (sends) {
    double& out = host(message.from).out_until;
    const double begin = std::max(done, out);
    out = begin + message.bytes * costs_.port;
    events_.at(begin + costs_.delay, EventKind::data_starts, index);
    ends_.sent(message, done);
  } else {
    message.arrived = done;
    if (message.recv != Message::none) ends_.received(message, done);
  }
}

// The receiver's port.
void SharedProcessor::reach(std::size_t index, double now) {
  const Message& message = messages_[index];
  double& in = host(message.to).in_until;
  in = std::max(in, now) + message.bytes * costs_.port;
  events_.at(in, EventKind::data_passed, index);
}

}  // namespace tutti
