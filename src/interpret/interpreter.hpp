// Runs the schedules of all p ranks together, in simulated time.
//
// As the executor would (execute/executor.hpp), over a network that it models. The verifier
// attaches symbols to it, the simulator clocks and ports. A message takes place when both its sides
// are posted; it occupies the sender's and the receiver's port for alpha + bytes*beta, and between
// nodes those of both nodes for bytes*beta. Where the machine lets messages overlap, short ones
// leave when they are sent, and all that are under way share what they go through. Deterministic.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "schedule/schedule.hpp"
#include "topology/placement.hpp"

namespace tutti {

enum class Sends : std::uint8_t {
  buffered_until_waited,  // a rank goes on after posting a send
  blocking,               // a rank goes on when its send has been received: the strictest MPI_Send
};

// What happens, as it happens. `step` is a step number of that rank's schedule.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void posted(Rank rank, std::uint32_t step) = 0;
  virtual void delivered(Rank from, std::uint32_t send, Rank to, std::uint32_t recv) = 0;
  virtual void waited(Rank rank, std::uint32_t step) = 0;
  virtual void computed(Rank rank, std::uint32_t step) = 0;
};

struct Run {
  std::string error;             // empty: every rank finished and every message was received
  double seconds = 0;            // of the slowest rank
  std::vector<double> finished;  // per rank
  std::int64_t messages = 0;
  Units units = 0;  // carried by all messages
};

// `placement` may be null: every rank has a node of its own.
Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const Placement* placement = nullptr);

}  // namespace tutti
