// Proves that the schedules of a call are right, by interpreting all ranks together on symbols.
//
// Checked: every result is exactly what the collective promises, each contribution once, in operand
// order unless the operator commutes; where the operator is not exact, every rank gets the same
// expression of an allreduce, so the same bits, and what several ranks combine has the lowest rank
// on the left; operands that have to stay whole are neither cut nor joined; memory that belongs to
// nobody's result is left alone; sends match receives in order and size; nothing undefined is read,
// `in` never written, no slice out of bounds; memory of a message under way is not touched; no
// deadlock even if every send waits for its receive; a round has at most one send and one receive
// per rank, which may be in fragments, one directly after the other, and both sides of a message
// agree on its round. The work does not depend on n, except through the number of blocks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/ranks.hpp"

namespace tutti {

// Empty if the schedules are right; otherwise what is wrong, in one line.
std::string verify(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules);
// The same for those of a question: every rank gets the answers it asks for.
std::string verify_question(const Algorithm& algorithm, const Call& call,
                            const std::vector<Schedule>& schedules);

// A step of a rank's schedule.
using StepAt = std::pair<Rank, std::uint32_t>;
// Of right schedules in which all ranks get the same bits: the reductions that another rank makes
// too, of the same operands. Made otherwise on one rank alone, they give it other bits.
std::vector<StepAt> reductions_of_several(const Call& call, InPlace in_place,
                                          const std::vector<Schedule>& schedules);

// A number for how the results of right schedules are combined, on all ranks: the same for the same
// expressions.
std::uint64_t fingerprint_of_results(const Call& call, InPlace in_place,
                                     const std::vector<Schedule>& schedules);

}  // namespace tutti
