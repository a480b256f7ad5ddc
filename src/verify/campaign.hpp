// Verifies an algorithm for many calls: every rank count, awkward sizes, roots, in place and not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "verify/verify.hpp"

namespace tutti {

struct Case {
  Call call;
  InPlace in_place = InPlace::none;
};
std::string to_string(const Case& a_case);

// All cases of an algorithm at p ranks. Roots: all up to p = 16, then a sample. n (for collectives
// with a block per rank, the block): 0, 1, p-1, p, p+1 and a prime; irregular collectives also with
// blocks of unequal sizes. Operators that do not commute where the algorithm takes them. Ranks have
// nodes of their own, or share them, by turns.
std::vector<Case> cases(const Algorithm& algorithm, int p);

struct Tally {
  std::int64_t cases = 0;
  std::int64_t mutants = 0;
  std::vector<std::string> failures;   // cases that are wrong
  std::vector<std::string> survivors;  // mutants nobody noticed
};

// Proves every case at p ranks; with mutants, damages schedules in each way (of every case up to
// p = 16, then of one case in seven; not of those with padding) and counts what the verifier lets
// through. Deterministic in `seed`.
Tally verify_at(const Algorithm& algorithm, int p, bool mutants, std::uint64_t seed);

}  // namespace tutti
