// Long messages sent as several short ones.
//
// Over TCP a long message waits for its receiver: words go to and fro before its data may leave, in
// every round, and behind whatever else leaves that way. Short ones need none of it. Where that is
// quicker (`Machine::fragment`), messages of a schedule go in fragments.
#pragma once

#include <functional>

#include "schedule/schedule.hpp"

namespace tutti {

// A message goes in so many fragments at most: of a call among p ranks, so that schedules stay
// short. One that would need more goes whole.
int most_fragments(int p);

// Into how many a message of `units` units goes, with fragments of `longest` at most; both sides of
// a message find the same number.
int fragments_of(Units units, Units longest, int most);

// The schedule with every message replaced by its fragments, nearly equal, one directly after the
// other. count(peer, units) says how many: 1 or more, and 1 for those of long exchanges. Who waited
// for the message waits for all of them.
using FragmentCount = std::function<int(Rank peer, Units units)>;
Schedule in_fragments(const Schedule& whole, const FragmentCount& count);

}  // namespace tutti
