// Short messages leave when they are sent, long ones when their receives are posted, and all that
// are under way together share what they go through, in order or in equal parts. Each keeps a
// processor busy at its ends, which sees to one message at a time. Where ranks of a node share
// memory, these processors copy and combine their messages.
#pragma once

#include <vector>

#include "interpret/cluster.hpp"

namespace tutti {

class Overlapping final : public Cluster {
 public:
  Overlapping(std::size_t ranks, const Machine& machine, const Placement* placement,
              EventQueue& events, Ends& ends)
      : Cluster(ranks, machine, placement, events, ends), processors_(ranks) {}

  bool runs_ahead(const Message& message) const override {
    return is_by_memory(message) ? !machine_.memory.is_lent(message.bytes)
                                 : message.bytes < machine_.overlap;
  }
  bool combines() const override { return machine_.inside == Inside::memory; }
  void ready(std::size_t message, double now) override;
  void receive_posted(std::size_t message, double now) override;

 private:
  void transfer(std::size_t message, double now) override;
  void port_free(std::size_t port, double now) override;
  void passed(std::size_t message, double now) override;
  bool is_by_memory(const Message& message) const {
    return machine_.inside == Inside::memory && is_near(message);
  }
  double busy_time(const Message& message) const;
  Port& processor(Rank rank) { return processors_[static_cast<std::size_t>(rank)]; }
  void occupy(Rank rank, double until);
  void arrive(std::size_t message, double now);
  void process_arrival(std::size_t message, double now);
  void publish(std::size_t message, double now);
  void take(std::size_t message);

  std::vector<Port> processors_;  // of ranks
};

}  // namespace tutti
