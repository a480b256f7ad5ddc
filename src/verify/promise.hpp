// What each collective promises, in the words of MPI-4.0, chapter 6: what ranks have before, and
// what they must have after. Written from the standard, not from any algorithm.
#pragma once

#include "algorithms/call.hpp"
#include "verify/symbols.hpp"

namespace tutti {

struct Held {
  Slice where;
  Extents what;
};

// What `rank` (in the communicator's numbering) holds when the call starts, where it counts.
std::vector<Held> before(const Call& call, Rank rank, Products& values);
// What it must hold in its output afterwards. Everything else is as before, or was undefined.
std::vector<Held> after(const Call& call, Rank rank, Products& values);

}  // namespace tutti
