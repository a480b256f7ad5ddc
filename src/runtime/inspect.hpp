// What a rank finds out about a call before it communicates.
#pragma once

#include "runtime/communicator.hpp"
#include "runtime/ways.hpp"

namespace tutti::runtime {

inline bool is_one_buffer(const Arguments& arguments) {
  return arguments.in.present && arguments.out.present &&
         arguments.in.address == arguments.out.address && arguments.in.address != MPI_BOTTOM;
}

inline bool has_input(const Arguments& arguments, int p) {
  if (arguments.in_blocks == nullptr) return arguments.in.count > 0;
  for (int i = 0; i < p && !arguments.in_blocks->counts.empty(); ++i) {
    if (arguments.in_blocks->counts[i] > 0) return true;
  }
  return false;
}

// Whether the library rejects a buffer that is both input and output: MPICH always, Open MPI in two
// collectives. Elsewhere it makes do with it, on one rank as well as on all.
inline bool is_aliased(const Arguments& arguments, [[maybe_unused]] int p) {
  if (!is_one_buffer(arguments)) return false;
#if defined TUTTI_WAYS_OF_MPICH
  return has_input(arguments, p);
#elif defined TUTTI_WAYS_OF_OPENMPI
  return arguments.in.count > 0 && (arguments.collective == Collective::allreduce ||
                                    arguments.collective == Collective::reduce);
#else
  return false;
#endif
}

// Whether the native library would begin to communicate, too, as far as this rank can see, and what
// is known about the datatypes then, in workspace.facts. Anything odd is left to it, so that its
// error is the native one. What MPI ignores on this rank is not looked at.
bool looks_right(const Arguments& arguments, Communicator& state, Workspace& workspace);

// Whether every rank needs something of every other: in such a call they wait for each other.
bool waits_for_all(const Arguments& arguments, int p);

// Bytes of the whole message, as far as this rank's arguments tell.
double bytes_passed(const Arguments& arguments, int p);

}  // namespace tutti::runtime
