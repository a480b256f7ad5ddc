// Runs the schedules of all p ranks together, in simulated time.
//
// The one place that knows what issuing, waiting and matching mean. The verifier attaches symbols
// to it, the simulator clocks and ports. A message takes place when both its sides are posted; it
// occupies the sender's and the receiver's port for alpha + bytes*beta. Deterministic.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

// Hockney's model: a message of b bytes takes alpha + b*beta, reducing b bytes takes b*gamma. One
// whose sender receives nothing and whose receiver sends nothing in that round takes alpha_uni +
// b*beta_uni (Thakur2005, 3): from half as much, where a link carries one message at a time, to as
// much, where it is full duplex.
//
// The default is a cluster on 10 Gbit/s Ethernet. On it arithmetic costs little beside messages:
// what spends messages to hide arithmetic is then chosen only by who says that it pays.
struct Machine {
  double alpha = 20e-6;  // seconds
  double beta = 8e-10;   // seconds per byte
  double gamma = 5e-11;  // seconds per byte
  double f_alpha = 1;    // alpha_uni / alpha
  double f_beta = 1;     // beta_uni / beta
  // Bytes from which on a message waits for its receiver. Shorter ones run ahead of their sender's
  // pace and share its port, so no pipeline's segments should be shorter.
  double eager = 65536;
};

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

Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer);

}  // namespace tutti
