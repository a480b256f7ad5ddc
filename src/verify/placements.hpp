// Whether the bits of a reduction's result depend on where its ranks are.
#pragma once

#include <cstdint>

#include "algorithms/algorithm.hpp"

namespace tutti {

// Short messages, or those so long that ranks may be counted one node after the other
// (Call::order).
enum class Length : std::uint8_t { of_short, of_long };

// Compares how results are combined at p ranks, with every parameter worth trying: ranks on nodes
// of their own, on nodes filled one after the other or in turn, and on one node. An algorithm for
// exact arithmetic gives the same bits anywhere.
bool same_bits_anywhere(const Algorithm& algorithm, int p, Length length);

}  // namespace tutti
