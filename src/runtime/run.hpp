// Runs what was prepared for a call: packs, executes schedules window after window, unpacks.
#pragma once

#include "runtime/arguments.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

// Returns MPI_SUCCESS or the library's first error.
int run(const Arguments& arguments, const Prepared& prepared, Communicator& state);
// The same; an error, or one from before, goes to the communicator's handler.
int run_and_tidy(const Arguments& arguments, const Prepared& prepared, int before,
                 Communicator& state);
// Issues the first steps of a call whose question is still to be asked. They leave their messages
// under way, in slots 0, 1, 2 ...
Begun begin(const Arguments& arguments, const Prepared& question, Communicator& state, int& error);

}  // namespace tutti::runtime
