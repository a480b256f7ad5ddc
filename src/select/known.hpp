// What was measured to be faster than the native collectives, where no model of messages is to be
// trusted: inside a node they are copies, whose order and number count more than their bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "machine/machine.hpp"

namespace tutti {

// The MPI library below, as far as measurements go.
enum class Library : std::uint8_t {
  modelled,  // a simulated one, or none: the model is right
  mpich,
  openmpi,
  other,
};
// By the text in which a library names its version.
Library library_of(std::string_view version);

// What is to serve the call, with its parameter ("chain:1"), or "native" where nothing is known to
// be faster; empty: the model is to choose. In a microsecond, and the same on all ranks.
std::string_view known_best(Library library, const Call& call, const Machine& machine);

}  // namespace tutti
