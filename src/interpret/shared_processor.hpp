// Hosts that share one processor, which sees to the messages of all ranks one after the other.
//
// A message keeps it busy when it is sent, and again when it has come. On its way it passes its
// sender's port and, a delay later, its receiver's: first come, first served. No message waits for
// its receive, unless its schedule is synchronous. Ranks have the processor in the order in which
// they asked for it, each for as long as it has something to do.
#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "interpret/network.hpp"

namespace tutti {

class SharedProcessor final : public Network {
 public:
  struct Costs {
    double port = 0;     // seconds per byte
    double delay = 0;    // seconds
    double message = 0;  // seconds of the processor, at each end
    double byte = 0;     // the same per byte
  };
  SharedProcessor(std::size_t ranks, const Costs& costs, EventQueue& events, Ends& ends)
      : Network(events, ends), costs_(costs), hosts_(ranks) {}

  bool runs_ahead(const Message&) const override { return true; }
  void ready(std::size_t message, double now) override;
  void receive_posted(std::size_t message, double now) override;
  void handle(const Event& event) override;

 private:
  struct Task {
    std::size_t message;
    bool sends;
  };
  struct Host {
    std::deque<Task> tasks;              // for the processor
    double out_until = 0, in_until = 0;  // its ports
  };

  Host& host(Rank rank) { return hosts_[static_cast<std::size_t>(rank)]; }
  void ask(Rank rank, const Task& task, double now);
  void serve(double now);
  void reach(std::size_t message, double now);

  Costs costs_;
  std::vector<Host> hosts_;
  std::deque<Rank> asking_;
  Rank served_ = -1;  // none: the processor is idle
};

}  // namespace tutti
