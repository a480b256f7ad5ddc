// One collective call, as each of its ranks makes it, and the schedules of all of them.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"

namespace tutti {

// Which ranks call in place.
enum class InPlace : std::uint8_t { none, all, odd_ranks };

// The call as `rank` makes it.
Call call_of_rank(const Call& call, InPlace in_place, Rank rank);
// The same, once ranks have told each other what the algorithm must know.
Call informed(const Algorithm& algorithm, const Call& call, InPlace in_place, Rank rank);
// The sizes that an algorithm's question asks for, for that rank: of what goes from one rank to
// another, in the communicator's numbering. Empty if it asks nothing.
std::vector<Pair> asked_about(const Algorithm& algorithm, const Call& call, Rank rank);
// How an algorithm is called when nobody says otherwise: in place only if it has to be.
inline InPlace usual(const Algorithm& algorithm) {
  return only_in_place(algorithm) ? InPlace::all : InPlace::none;
}
// The schedule of a rank that is informed, of a call as it is usually made.
Schedule usual_schedule(const Algorithm& algorithm, const Call& call, Rank rank,
                        const Carriage& carriage = {});
// Whether MPI lets ranks choose so for this collective.
bool allowed(Collective collective, InPlace in_place);

std::vector<Schedule> build_all(const Algorithm& algorithm, const Call& call, InPlace in_place,
                                const Carriage& carriage = {});
// The algorithm's question, if it has one.
std::vector<Schedule> build_all_questions(const Algorithm& algorithm, const Call& call);

}  // namespace tutti
