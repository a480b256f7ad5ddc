// Calls that the native library itself gets wrong.
#pragma once

#include "call.hpp"

namespace tutti::fuzz {

// What is right about a call: the library's collective; at least its messages; or neither.
enum class Right : std::uint8_t { collective, messages, nothing };

// The same on all ranks.
Right what_is_right(const Call& call);

// What Tutti fails at because the library's messages fail, though its collective does not: see
// docs/reference/limits.md. Data at MPI_BOTTOM travel as they lie while all else travels packed.
bool is_known_limit(const Call& call);

}  // namespace tutti::fuzz
