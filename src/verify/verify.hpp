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

#include <string>
#include <vector>

#include "algorithms/ranks.hpp"

namespace tutti {

// Empty if the schedules are right; otherwise what is wrong, in one line.
std::string verify(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules);
// The same for those of a question: every rank gets the answers it asks for.
std::string verify_question(const Algorithm& algorithm, const Call& call,
                            const std::vector<Schedule>& schedules);

}  // namespace tutti
