// Short messages leave when they are sent, long ones when their receives are posted, and all that
// are under way together share what they go through, in order or in equal parts. Each keeps a
// processor busy at its ends, which sees to one message at a time.
#pragma once

#include <vector>

#include "interpret/cluster.hpp"

namespace tutti {

class Overlapping final : public Cluster {
 public:
  Overlapping(std::size_t ranks, const Machine& machine, const Placement* placement,
              EventQueue& events, Ends& ends)
      : Cluster(ranks, machine, placement, events, ends), processors_(ranks) {}

  double eager() const override { return machine_.overlap; }
  void ready(std::size_t message, double now) override;
  void receive_posted(std::size_t message, double now) override;

 private:
  void transfer(std::size_t message, double now) override;
  void port_free(std::size_t port, double now) override;
  void passed(std::size_t message, double now) override;
  double busy_time(const Message& message) const;
  Port& processor(Rank rank) { return processors_[static_cast<std::size_t>(rank)]; }
  void occupy(Rank rank, double until);
  void arrive(std::size_t message, double now);
  void process_arrival(std::size_t message, double now);

  std::vector<Port> processors_;  // of ranks
};

}  // namespace tutti
