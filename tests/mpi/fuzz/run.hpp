// One call, made by Tutti and natively on the same inputs, and compared.
#pragma once

#include <cstdint>
#include <string>

#include "call.hpp"

namespace tutti::fuzz {

struct Group {
  MPI_Comm comm;
  int rank;
  int p;
};

struct Outcome {
  enum Kind : std::uint8_t { same, different, failed };  // failed: a call returned an error
  Kind kind = same;
  std::string text = {};  // the first difference, or the error
};

// What Tutti's result is compared with. `both`: with the native library's; and if they differ,
// plain messages say which is right.
enum class Against : std::uint8_t { native, messages, both };

// What the calls of a case share.
struct Objects {
  TypePool types;
  OperandHolder operand;
};

// On this rank.
Outcome run_call(const Call& call, const Group& group, Against against, Objects& objects);

}  // namespace tutti::fuzz
