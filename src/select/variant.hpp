// What serves a call: an algorithm with its parameter, or the native collective.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"

namespace tutti {

struct Variant {
  const Algorithm* algorithm = nullptr;  // null: the native collective
  int parameter = 0;                     // of the algorithm; 0 if nothing is open
  bool operator==(const Variant&) const = default;
};

// "two_tree:16", "ring", "native".
std::string full_name(const Variant& variant);
// Null and 0 for what is not known, too.
Variant parse_variant(Collective collective, std::string_view name);

}  // namespace tutti
