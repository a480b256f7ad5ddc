// What the ranks of a call hold at first, and must hold in the end.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "algorithms/ranks.hpp"
#include "verify/promise.hpp"

namespace tutti {

struct Terms {
  int p;
  bool commutative = true;
  bool barrier = false;
  bool same_bits = false;            // every rank gets the same result, in every bit
  bool keep_expressions = false;     // of values, whatever is promised
  const Placement* order = nullptr;  // in which algorithms count the ranks, if not in their own
  // Borders of what the operator may be applied to: nothing across them, and no less than all
  // between two. Empty: it may be applied to anything.
  std::vector<Units> operands{};
  std::function<std::array<Units, 2>(Rank)> sizes{};  // of the input and the output
  std::function<std::vector<Held>(Rank, Products&)> before{}, after{};
};

// The call outlives what is returned.
Terms terms_of(const Call& call, InPlace in_place);
// Of the algorithm's question, for that call: every rank gets the answers it asks for.
Terms terms_of_question(const Algorithm& algorithm, const Call& call);

}  // namespace tutti
