// Short exchanges in one call.
#pragma once

#include "schedule/schedule.hpp"

namespace tutti {

// The schedule with every receive joined to the send directly after it, where one call may do both
// (MPI_Sendrecv): neither is of more than `short_to` units, the send waits for nothing, and no
// other rank can tell whether the receive was completed then or where it is waited for.
Schedule pair_exchanges(Schedule schedule, Units short_to);

}  // namespace tutti
