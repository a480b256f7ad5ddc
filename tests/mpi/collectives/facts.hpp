// What the list of native bugs asks about a call of this test.
#pragma once

#include "../native_bugs.hpp"
#include "call.hpp"

namespace tutti::test {

native::Facts facts(const Call& call);

}  // namespace tutti::test
