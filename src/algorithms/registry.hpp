// All algorithms, from algorithms.def.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace tutti {

#define TUTTI_ALGORITHM(collective, name) \
  namespace catalog::collective {         \
  extern const Algorithm name;            \
  }
#define TUTTI_ALSO(collective, name, owner)
#include "algorithms/algorithms.def"
#undef TUTTI_ALGORITHM
#undef TUTTI_ALSO

// In the order of algorithms.def.
std::span<const Algorithm* const> algorithms();
std::vector<const Algorithm*> algorithms_of(Collective collective);
// Null if there is none of that name.
const Algorithm* find_algorithm(Collective collective, std::string_view name);
// "ring, recursive_doubling, bruck": for messages that say what is accepted.
std::string known_algorithms(Collective collective);
std::string known_collectives();

}  // namespace tutti
