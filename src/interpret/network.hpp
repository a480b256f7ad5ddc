// Messages on their way: what each needs is free, busy, or shared with others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "interpret/event_queue.hpp"
#include "interpret/fair_queue.hpp"
#include "machine/machine.hpp"
#include "topology/placement.hpp"

namespace tutti {

struct Message {
  static constexpr std::uint32_t none = ~0u;

  Rank from = 0, to = 0;
  std::uint32_t send = none, recv = none;  // steps, when they are posted
  // Of its send.
  double bytes = 0;
  int round = 0;
  bool one_way = false;     // its ends only send and only receive in its round
  bool runs_ahead = false;  // it leaves though its receive is not posted, and its sender goes on

  double arrived = -1;      // before its receive was posted
  std::size_t woken_by{};   // the port it waited for last
  std::size_t to_pass = 0;  // how much of what it shares with others is still on its way
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

// All times are in seconds. `machine`, `placement` (null: every rank has a node of its own),
// `events` and `ends` must outlive it.
class Network {
 public:
  Network(std::size_t ranks, const Machine& machine, const Placement* placement, EventQueue& events,
          Ends& ends);

  // Numbers count from 0.
  std::size_t add(Rank from, Rank to);
  Message& message(std::size_t number) { return messages_[number]; }
  const Message& message(std::size_t number) const { return messages_[number]; }

  // Both sides are posted, or the send of one that runs ahead.
  void ready(std::size_t message, double now);
  // Of one that runs ahead.
  void receive_posted(std::size_t message, double now);
  // What is neither of these happens to ranks.
  void handle(const Event& event);

 private:
  // One direction of the connection of a rank, or of a node, to the network.
  struct Port {
    using Waiting = std::tuple<int, std::int64_t, std::size_t>;  // round, when it came, message
    double free_at = 0;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  };
  // The ports a message goes through: those of its ranks, and between nodes those of the nodes.
  struct Path {
    std::array<std::size_t, 4> ports;
    std::size_t length;
  };

  bool overlaps() const { return machine_.overlap > 0; }
  bool is_near(const Message& message) const;
  double latency(const Message& message) const;
  double weight(const Message& message) const;
  double busy_time(const Message& message) const;
  std::size_t node(Rank rank) const { return static_cast<std::size_t>(placement_->node(rank)); }
  Path path(const Message& message) const;

  void occupy(std::size_t port, double until);
  void wake_next(std::size_t port, double now);
  void wait_for(std::size_t port, std::size_t message, double now);
  void transfer(std::size_t message, double now);
  void transfer_hockney(const Message& message, const Path& way, double now);
  void start(std::size_t message, double now);
  void expect(std::size_t place, double now);
  void pass(const Event& event);
  void arrive(std::size_t message, double now);
  void process_arrival(std::size_t message, double now);

  std::size_t ranks_;
  const Machine& machine_;
  const Placement* placement_;
  EventQueue& events_;
  Ends& ends_;
  std::vector<Port> ports_;        // out, in of ranks; out, in of nodes
  std::vector<FairQueue> shared_;  // behind the ports, then the memories of nodes
  std::vector<Message> messages_;
};

}  // namespace tutti
