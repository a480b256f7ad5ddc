// What networks of nodes have in common: the ports that a message passes, and what is shared by
// those that are under way together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "interpret/fair_queue.hpp"
#include "interpret/network.hpp"

namespace tutti {

// What one message at a time has: one direction of a connection, or a processor.
struct Port {
  using Waiting = std::tuple<int, std::uint32_t, std::size_t>;  // round, when it came, message
  double free_at = 0;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
};

class Cluster : public Network {
 public:
  Cluster(std::size_t ranks, const Machine& machine, const Placement* placement, EventQueue& events,
          Ends& ends);

  void handle(const Event& event) final;

 protected:
  // The ports a message goes through: those of its ranks, and between nodes those of the nodes.
  struct Path {
    std::array<std::size_t, 4> ports;
    std::size_t length;
  };

  bool is_near(const Message& message) const {
    return placement_ != nullptr && node(message.from) == node(message.to);
  }
  double latency(const Message& message) const;
  double weight(const Message& message) const;
  Path path(const Message& message) const;
  std::size_t port_count() const { return 2 * (ranks_ + nodes()); }

  // Starts the message, unless what it needs is busy.
  virtual void transfer(std::size_t message, double now) = 0;
  virtual void port_free(std::size_t port, double now) = 0;
  // All of it, through all it shares with others.
  virtual void passed(std::size_t message, double now) = 0;

  const Machine& machine_;

 private:
  std::size_t nodes() const {
    return static_cast<std::size_t>(placement_ != nullptr ? placement_->nodes() : 0);
  }
  std::size_t node(Rank rank) const { return static_cast<std::size_t>(placement_->node(rank)); }
  void start(std::size_t message, double now);
  void expect(std::size_t place, double now);
  void pass(const Event& event);

  std::size_t ranks_;
  const Placement* placement_;
  std::vector<FairQueue> shared_;  // out, in of ranks; out, in of nodes; the memories of nodes
};

}  // namespace tutti
