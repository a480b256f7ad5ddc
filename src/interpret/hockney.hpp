// Messages of a rank follow each other: one occupies a port of its sender and one of its receiver
// for alpha + bytes*beta, and between nodes those of both nodes for bytes*beta.
#pragma once

#include <vector>

#include "interpret/cluster.hpp"

namespace tutti {

class Hockney final : public Cluster {
 public:
  Hockney(std::size_t ranks, const Machine& machine, const Placement* placement, EventQueue& events,
          Ends& ends)
      : Cluster(ranks, machine, placement, events, ends), ports_(port_count()) {}

  void ready(std::size_t message, double now) override;

 private:
  void transfer(std::size_t message, double now) override;
  void port_free(std::size_t port, double now) override;
  void passed(std::size_t message, double now) override;
  void wait_for(std::size_t port, std::size_t message, double now);
  void occupy(std::size_t port, double until);
  void deliver(const Message& message, double done);

  std::vector<Port> ports_;  // as Cluster counts them
};

}  // namespace tutti
