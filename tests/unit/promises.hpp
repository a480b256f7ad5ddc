// What a collective is, written a second time from the MPI standard (MPI-4.0, chapter 6), for real
// values and without a look at src/verify: what each rank's buffers hold before and after.
#pragma once

#include "executor.hpp"
#include "verify/verify.hpp"

namespace tutti::oracle {

// Buffers before the call, scratch left empty. Memory the standard says nothing of holds "?".
std::vector<Memory> before(const Call& call, InPlace in_place);
// Empty if all outputs are right, and nothing else was touched; else the first that is wrong.
std::string difference(const Call& call, InPlace in_place, const Executor& executed);
// Runs the schedules once: empty if they do what the collective promises.
std::string complaint(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules,
                      std::uint64_t seed);

}  // namespace tutti::oracle
