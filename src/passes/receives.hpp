// Receives moved ahead, so that a message finds its receive posted.
//
// A receive passes steps that it does not depend on, at most `Step::ahead` rounds of them, and
// takes over what they wait for if it has to wait for that too. It stays behind steps that touch
// its memory. Sends and local steps keep their order.
#pragma once

#include <functional>

#include "schedule/schedule.hpp"

namespace tutti {

// The schedule, as the builder wrote it, with every receive as far ahead as that; those of
// exchanges stay where they are.
Schedule hoist_receives(Schedule written);

// The schedule with its long exchanges joined: a send and a receive of a round, both with the same
// rank and long, the send first, if the receive can be moved there. A long message may wait for its
// receiver. The receiver's word that it is ready is a message too; posted
// first, a receive would have it wait behind the data that this rank sends the same way, and the
// two messages would go one after the other (docs/design/runtime.md, "Exchanges").
using IsLong = std::function<bool(Rank peer, Units units)>;
Schedule order_exchanges(Schedule written, const IsLong& is_long);

}  // namespace tutti
