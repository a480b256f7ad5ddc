#include "machine/machine.hpp"

#include <cmath>

namespace tutti {

// Inside nodes as on share/tutti/machines/hier16.json: copies go side by side.
Machine usual_machine() {
  return {.overlap = 65536, .in_order = -1, .near_alpha = 0.7e-6, .near_together = 1.25e-11};
}

// share/tutti/machines/edr.json
static Machine infiniband() {
  Machine machine = usual_machine();
  machine.alpha = 1.5e-6;
  machine.beta = 8e-11;
  machine.eager = 16384;
  machine.overlap = 16384;
  machine.busy = 0.1667;
  return machine;
}

// Virtual hosts, 200 Mbit/s, 50 us (docs/results.md), as `tutti machine` finds them: short messages
// leave in order, and long ones do better in fragments. `busy` and `shared_busy` were fitted to
// what was measured of 8 and 13 of them; with 0.1 to 0.2, and 8 to 20 us, choices are about as
// good, there and on the other networks of tests/unit/default_choice.cpp.
static Machine slow_ethernet() {
  Machine machine = usual_machine();
  machine.alpha = 150e-6;
  machine.beta = 4e-8;
  machine.eager = 32768;
  machine.overlap = 32768;
  machine.busy = 0.1;
  machine.shared_busy = 16e-6;
  machine.in_order = 16384;
  machine.fragment = 16384;
  return machine;
}

static double latency_between(const Machine& one, const Machine& other) {
  return std::sqrt(one.alpha * other.alpha);
}

bool is_slow(const Machine& machine) {
  return machine.alpha > latency_between(usual_machine(), slow_ethernet());
}

Machine machine_by(double latency, double gamma) {
  Machine machine = usual_machine();
  if (latency > latency_between(usual_machine(), slow_ethernet())) machine = slow_ethernet();
  if (latency > 0 && latency < latency_between(usual_machine(), infiniband())) {
    machine = infiniband();
  }
  if (latency == 0) machine.overlap = 16384;
  if (gamma < machine.gamma / 20) machine.gamma = machine.in_order = machine.shared_busy = 0;
  return machine;
}

Machine hockney(Machine machine) {
  machine.overlap = 0;
  machine.inside = Inside::messages;
  return machine;
}

Machine inside_a_node(Machine machine) {
  machine.alpha = machine.near_alpha;
  machine.beta = machine.near_beta;
  machine.busy = machine.near_busy;
  machine.f_alpha = machine.f_beta = 1;
  if (machine.inside != Inside::memory) return machine;
  const SharedMemory& memory = machine.memory;
  machine.alpha = memory.latency + 2 * memory.entry;
  machine.beta = memory.copy;
  machine.busy = memory.entry / machine.alpha;
  if (memory.lent_from > 0) machine.eager = machine.overlap = memory.lent_from;
  return machine;
}

}  // namespace tutti
