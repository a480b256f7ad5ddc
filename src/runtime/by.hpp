// How the messages of a call go, as the report says it.
#pragma once

#include <cstdint>

namespace tutti::runtime {

enum class By : std::uint8_t {
  library,   // it is native
  messages,  // of the library
  memory,    // that the node's ranks share
  both,
};

}  // namespace tutti::runtime
