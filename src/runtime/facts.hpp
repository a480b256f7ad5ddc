// What a rank knows of a call before anything is prepared for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/arguments.hpp"
#include "runtime/datatype.hpp"

namespace tutti::runtime {

// What an irregular call says of its blocks: counts, displacements, serial numbers of datatypes.
using Words = std::vector<std::int64_t>;

// What is known about the datatypes of a side: of all blocks alike, or of each.
struct Facts {
  const Datatype* all = nullptr;
  const Datatype* const* each = nullptr;

  bool known() const { return all != nullptr || each != nullptr; }
  const Datatype& of(int block) const { return each != nullptr ? *each[block] : *all; }
};

// Of a reduction, which has one on each side that is there.
inline const Datatype* operand_of(const Facts& in, const Facts& out) {
  return out.all != nullptr ? out.all : in.all;
}

// Bytes of each of a side's blocks, appended.
void append_sizes(const Blocks& blocks, const Facts& facts, int p, Words& sizes);

// What ranks have told this one of an irregular call whose sizes none of them knows alone.
struct Heard {
  // `numbers`, in bytes, begins with so many that all ranks were told (select/select.hpp), and ends
  // with the answers to the algorithm's question, if it was asked.
  std::ptrdiff_t agreed = 0;
  bool asked = false;
  Words numbers{};

  void clear() {
    agreed = 0;
    asked = false;
    numbers.clear();
  }
};

struct CallFacts {
  Facts in{}, out{};
  bool commutative = true;
  bool recurs = false;  // its layout was there before, and all ranks know so
  Heard heard{};
  Words words{};  // what it says of its blocks, where they differ, and what was heard

  void clear() {
    in = out = {};
    commutative = true;
    recurs = false;
    heard.clear();
    words.clear();
  }
};

}  // namespace tutti::runtime
