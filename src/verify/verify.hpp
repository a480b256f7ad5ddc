// Proves that the schedules of a call are right, by interpreting all ranks together on symbols.
//
// Checked: every result is exactly what the collective promises, each contribution once, in operand
// order unless the operator commutes; memory that belongs to nobody's result is left alone; sends
// match receives in order and size; nothing undefined is read, `in` never written, no slice out of
// bounds; memory of a message under way is not touched; no deadlock even if every send waits for
// its receive; a round has at most one send and one receive per rank, and both sides of a message
// agree on its round. The work does not depend on n, except through the number of blocks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace tutti {

// Which ranks pass MPI_IN_PLACE.
enum class InPlace : std::uint8_t { none, all, odd_ranks };

// The call as `rank` makes it.
Call call_of_rank(const Call& call, InPlace in_place, Rank rank);
// The same, once ranks have told each other what the algorithm must know.
Call informed(const Algorithm& algorithm, const Call& call, InPlace in_place, Rank rank);
// How an algorithm is called when nobody says otherwise: in place only if it has to be.
inline InPlace usual(const Algorithm& algorithm) {
  return algorithm.requires_.in_place ? InPlace::all : InPlace::none;
}
// Whether MPI lets ranks choose so for this collective.
bool allowed(Collective collective, InPlace in_place);

std::vector<Schedule> build_all(const Algorithm& algorithm, const Call& call, InPlace in_place);
// The algorithm's question, if it has one.
std::vector<Schedule> build_all_questions(const Algorithm& algorithm, const Call& call);

// Empty if the schedules are right; otherwise what is wrong, in one line.
std::string verify(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules);
// The same for those of a question: every rank gets the answers it asks for.
std::string verify_question(const Algorithm& algorithm, const Call& call,
                            const std::vector<Schedule>& schedules);

}  // namespace tutti
