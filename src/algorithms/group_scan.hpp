// Scans, inclusive or exclusive, by exchange between neighbouring groups.
//
// Aligned groups of 2^k ranks know their product, and each rank the product of those before it in
// its group. Groups side by side exchange their products, rank by rank, and are one from then on.
#pragma once

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// Any p, operand order kept. A product that nobody will ask for is neither sent nor made.
void scan_by_groups(const Call& call, Rank me, ScheduleBuilder& out);

}  // namespace tutti::phase
