// What the process needs, set once: the user's settings, the selector, the report.
#pragma once

#include <mpi.h>

#include <string_view>

#include "runtime/by.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

// Reads TUTTI_FORCE, TUTTI_POLICY, TUTTI_MACHINE, TUTTI_PROFILE, TUTTI_USER_OPS,
// TUTTI_NATIVE_FIRST, TUTTI_REPORT and TUTTI_TRACE, and arranges for the report at MPI_Finalize. A
// setting that cannot be used ends the program with a line that says why. Repeated calls do
// nothing.
void start_process();
// Chooses as the process's own does for calls on this communicator, but for what is forced.
std::unique_ptr<Selector> forced_selector(const Forced& forced, const Communicator& state);
// The one in the file that TUTTI_MACHINE names; null if it names none.
const Machine* known_machine();
// So many collectives on a communicator are native before Tutti serves it, and so is a call of a
// shape that comes for the first time; 0: Tutti serves all.
unsigned native_first();
// The value of an environment variable; empty if there is none.
std::string_view setting(const char* name);
// The same for settings that choose alike.
std::uint64_t settings_fingerprint();
// Says, on rank 0, that ranks differ in them.
void complain_of_settings(int rank);
// Whether the profile, if there is one, was measured with this library and on such a processor.
bool profile_fits();
// Says, once, why not.
void complain_of_profile();
// Whether TUTTI_USER_OPS says that operators made by the user take operands of any length.
bool user_ops_take_any_length();
// MPI_Finalize has begun: MPI objects are no longer to be freed by us.
bool is_finalizing();

// The algorithm for a call on this communicator.
Choice choose(const Communicator& state, const Call& call);
bool wants_agreement(const Communicator& state, Collective collective);

bool report_wanted();
// Counts a call: `algorithm` may be "native".
void count_call(Collective collective, int p, std::string_view algorithm, By by, double bytes,
                double seconds);

}  // namespace tutti::runtime
