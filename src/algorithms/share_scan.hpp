// Scans, inclusive or exclusive, by transposition: every rank makes all prefixes of its share of
// the elements.
//
// An all-to-all gives it that share of everyone's operand; combined in rank order, they are
// everyone's prefixes of it, which a second all-to-all brings home. So a message travels twice,
// however many ranks there are, and each rank combines p-1 shares.
#pragma once

#include "algorithms/call.hpp"
#include "schedule/builder.hpp"

namespace tutti::phase {

// Any p, operand order kept. The all-to-alls are radix-r Bruck (algorithms/digits.hpp), r being the
// call's parameter.
void scan_by_shares(const Call& call, Rank me, ScheduleBuilder& out);

// The same straight to every rank, the parameter being the rounds whose messages are under way
// together.
void scan_by_windows(const Call& call, Rank me, ScheduleBuilder& out);

}  // namespace tutti::phase
