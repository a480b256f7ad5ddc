#include "interpret/network.hpp"

#include "interpret/hockney.hpp"
#include "interpret/overlapping.hpp"

namespace tutti {

MakeNetwork network_of(const Machine& machine, const Placement* placement) {
  return [&machine, placement](std::size_t ranks, EventQueue& events,
                               Ends& ends) -> std::unique_ptr<Network> {
    if (machine.overlap > 0 || machine.inside == Inside::memory) {
      return std::make_unique<Overlapping>(ranks, machine, placement, events, ends);
    }
    return std::make_unique<Hockney>(ranks, machine, placement, events, ends);
  };
}

}  // namespace tutti
