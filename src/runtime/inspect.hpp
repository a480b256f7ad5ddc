// What a rank finds out about a call before it communicates.
#pragma once

#include "runtime/serve.hpp"

namespace tutti::runtime {

// Whether the native library would begin to communicate, too, as far as this rank can see, and what
// is known about the datatypes then. Anything odd is left to it, so that its error is the native
// one. What MPI ignores on this rank is not looked at.
bool looks_right(const Arguments& arguments, Communicator& state, Facts& in, Facts& out);

// Whether every rank needs something of every other: in such a call they wait for each other.
bool waits_for_all(const Arguments& arguments, int p);

// Bytes of the whole message, as far as this rank's arguments tell.
double bytes_passed(const Arguments& arguments, int p);

}  // namespace tutti::runtime
