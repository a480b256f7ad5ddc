// Sends that carry the same data to several ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

// By step, of sends that follow each other (with other steps between) and are of the same places,
// which none of those steps writes: one more than the number of the first of them. 0: it is no
// send, or its data go to one rank. Of a schedule of one strand.
std::vector<std::uint32_t> publications(const Schedule& schedule);

}  // namespace tutti
