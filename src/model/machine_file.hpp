// Files that describe a machine: share/tutti/machines has some, `tutti machine` writes others.
#pragma once

#include <string>

#include "machine/machine.hpp"

namespace tutti {

// Reads {"alpha": s, "beta": s/byte, "gamma": s/byte, "near": {"alpha": s, "beta": s/byte},
// "ranks_per_node": k, ...} from a JSON file; what is missing is as usual, and all of it if `path`
// is empty. Throws std::invalid_argument naming the file and what is accepted.
Machine read_machine(const std::string& path);
std::string json_of(const Machine& machine);

}  // namespace tutti
