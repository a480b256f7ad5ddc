// Calls that the native library itself gets wrong.
//
// They are left out by default, counted, and announced at the end; --all makes them too, for
// runs where Tutti carries out the collective instead.
#pragma once

#include "call.hpp"

namespace tutti::test {

// Why this call fails natively, or null. The answer is the same on all ranks of call.comm.
const char* native_bug(const Call& call);

}  // namespace tutti::test
