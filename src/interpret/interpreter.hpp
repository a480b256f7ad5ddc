// Runs the schedules of all p ranks together, in simulated time.
//
// As the executor would (execute/executor.hpp), over a network that it is given. The verifier
// attaches symbols to it, the simulator clocks and ports. A message takes place when both its sides
// are posted, or, if it runs ahead, when it is sent; its network says how long it takes.
// Deterministic.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "interpret/network.hpp"

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
  Units units = 0;    // carried by all messages
  double copied = 0;  // bytes, to carry them (Network::copied)
};

// Of the machine only what ranks do themselves counts where the network is made by another.
Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const MakeNetwork& network);
// Over the machine's own (network_of).
Run interpret(std::span<const Schedule> schedules, const Machine& machine, Units unit_bytes,
              Sends sends, Observer& observer, const Placement* placement = nullptr);

// How a rank's peers follow from those of rank 0, where all do the same.
enum class Peers : std::uint8_t {
  shifted,   // peer q of rank 0 is for rank r (q + r) mod p
  mirrored,  // q xor r; p is a power of two
};
// Runs p ranks that all do as rank 0, whose schedule this is: one is simulated, which sends to
// itself what it sends to others. Messages and units are those of all; nothing in `finished`.
Run interpret_alike(const Schedule& schedule, int p, Peers peers, const Machine& machine,
                    Units unit_bytes, Observer& observer);

}  // namespace tutti
