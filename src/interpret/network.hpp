// Messages on their way: when each leaves, and when it has come.
//
// The interpreter knows what issuing, waiting and matching mean; a network, what time messages
// take. Each kind has a file of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "interpret/event_queue.hpp"
#include "machine/machine.hpp"
#include "schedule/schedule.hpp"
#include "topology/placement.hpp"

namespace tutti {

struct Message {
  static constexpr std::uint32_t none = ~0u;

  Rank from = 0, to = 0;
  std::uint32_t send = none, recv = none;  // steps, when they are posted
  // Of its send.
  double bytes = 0;
  int round = 0;
  bool one_way = false;      // its ends only send and only receive in its round
  bool runs_ahead = false;   // it leaves though its receive is not posted, and its sender goes on
  bool is_repeated = false;  // its data are in a cell already (passes/publications.hpp)
  bool is_combined = false;  // it is received to be combined

  double there = 0;   // by memory: when its first bytes can be read
  double wanted = 0;  // when its receive was posted, if later than its send

  double arrived = -1;  // before its receive was posted
  static constexpr std::size_t nowhere = ~std::size_t{0};
  std::size_t place = nowhere;  // where it waited last
  std::size_t to_pass = 0;      // so much of what it shares with others is still to be passed
};

// Those who send and receive.
class Ends {
 public:
  // The sender may go on at `time`, which may lie ahead.
  virtual void sent(const Message& message, double time) = 0;
  // The receiver has it at `time`, which may lie ahead.
  virtual void received(const Message& message, double time) = 0;

 protected:
  ~Ends() = default;
};

// All times are in seconds. What it is made from must outlive it.
class Network {
 public:
  Network(EventQueue& events, Ends& ends) : events_(events), ends_(ends) {}
  virtual ~Network() = default;

  // Messages count from 0.
  std::size_t add(Rank from, Rank to) {
    messages_.push_back({.from = from, .to = to});
    return messages_.size() - 1;
  }
  Message& message(std::size_t number) { return messages_[number]; }

  // Whether the message leaves though its receive is not posted.
  virtual bool runs_ahead(const Message&) const { return false; }
  // Whether it combines what is received for that: its receiver need not.
  virtual bool combines() const { return false; }
  // Bytes that were copied to carry the messages; 0 where none are but by a network.
  double copied() const { return copied_; }
  // Both sides are posted, or the send of one that runs ahead.
  virtual void ready(std::size_t message, double now) = 0;
  // Of one that runs ahead.
  virtual void receive_posted(std::size_t, double) {}
  // Any event but those of ranks.
  virtual void handle(const Event& event) = 0;

 protected:
  EventQueue& events_;
  Ends& ends_;
  std::vector<Message> messages_;
  double copied_ = 0;
};

using MakeNetwork =
    std::function<std::unique_ptr<Network>(std::size_t ranks, EventQueue& events, Ends& ends)>;

// Overlapping, where the machine lets messages overlap or has memory, else Hockney. `placement` may
// be null: every rank has a node of its own. Machine and placement must outlive the network.
MakeNetwork network_of(const Machine& machine, const Placement* placement);

}  // namespace tutti
