// Memory of devices, such as graphics processors: it may be no memory of this process, and then
// only the MPI library and the device's own can move it. Calls on it are for the native library.
//
// Ranks may differ in where their buffers are, and all of them have to take the same way. So where
// any rank may pass such memory, they ask each other before Tutti serves a long call; all others
// are native there.
#pragma once

#include <mpi.h>

#include "runtime/arguments.hpp"
#include "runtime/facts.hpp"

namespace tutti::runtime {

class Communicator;

// Whether this process may pass such memory: a device's library is loaded, or may be later, as
// there is a device. TUTTI_DEVICES=0 or 1 says so instead.
bool may_have_devices();

// Below so many bytes of the whole message nobody asks, as that takes as long as a short call does.
inline constexpr double least_bytes_asked = 65536;

// Whether a rank passes such memory, by where each buffer begins. Collective over the communicator.
bool any_on_device(const Arguments& arguments, const CallFacts& facts, const Communicator& state);

}  // namespace tutti::runtime
