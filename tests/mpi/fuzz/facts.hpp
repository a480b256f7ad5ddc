// What the list of native bugs asks about a drawn call.
#pragma once

#include "../native_bugs.hpp"
#include "call.hpp"

namespace tutti::fuzz {

using native::Right;

native::Facts facts(const Call& call);

}  // namespace tutti::fuzz
