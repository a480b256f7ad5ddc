// Receives joined to the reductions they are for.
#pragma once

#include <functional>

#include "schedule/schedule.hpp"

namespace tutti {

// Whether what a rank sends can be read where it lies.
using IsReadable = std::function<bool(Rank peer)>;

// The schedule, as the builder wrote it, with a recv_reduce in place of a receive from such a rank
// and the one reduction that reads what it brings. The message then need not land: it is combined
// from where it lies. Scratch that nothing is left to use at its end is given back.
//
// A recv_reduce is not posted early, so one is made only where no step between the two waits, and
// none before them for a message of this round or a later one: even if every sender waits until its
// message is combined, nobody waits for ever that did not before.
Schedule reduce_as_received(Schedule written, const IsReadable& is_readable);

}  // namespace tutti
