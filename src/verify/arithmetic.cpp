#include "verify/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti {

static Units size_of(const Extents& extents) {
  Units sum = 0;
  for (const Extent& each : extents) sum += each.size;
  return sum;
}

bool Arithmetic::is_whole(const Extents& operand) const {
  if (terms_.operands.empty()) return true;
  const auto begin = std::ranges::find(terms_.operands, operand.front().index);
  if (begin == terms_.operands.end() || begin + 1 == terms_.operands.end()) return false;
  Units at = *begin;
  for (const Extent& each : operand) {
    if (each.index != at) return false;
    at += each.size;
  }
  return at == *(begin + 1);
}

// Where ranks wrap around, lower ones may come on the right: then one rank has combined them, and
// the others have its result.
bool Arithmetic::is_alone(Rank rank, const Extent& result) {
  std::vector<Combination>& all = out_of_order_[result.value];
  const Combination mine{result.index, result.index + result.size, rank};
  const bool alone = std::ranges::none_of(all, [&](const Combination& other) {
    return other.rank != rank && other.first < mine.end && mine.first < other.end;
  });
  all.push_back(mine);
  return alone;
}

Arithmetic::Outcome Arithmetic::combine(Rank rank, const Extents& left_extents,
                                        const Extents& right_extents) {
  if (left_extents.empty()) return {};
  if (!is_whole(left_extents)) {
    return {{}, "gives the operator part of an operand, or several"};
  }
  const Units size = size_of(left_extents);
  Outcome outcome;
  ExtentReader left(left_extents), right(right_extents);
  for (Units at = 0; !left.at_end() && !right.at_end();) {
    const Units taken = std::min(left.left(), right.left());
    const Extent a = left.next(taken), b = right.next(taken);
    const ValueId value = values_.combine(a.value, b.value, {a.index - at, size});
    const Extent result{value, a.index, taken};
    if (a.index != b.index) return {{}, "combines different elements"};
    if (value < 0) {
      return {{},
              fmt::format("combines {} with {}: a rank twice", values_.describe(a.value),
                          values_.describe(b.value))};
    }
    if (terms_.same_bits && !in_order(a.value, b.value) && !is_alone(rank, result)) {
      return {{},
              fmt::format("combines {} with {} in this order, as another rank does",
                          values_.describe(a.value), values_.describe(b.value))};
    }
    outcome.result.push_back(result);
    at += taken;
  }
  outcome.result = joined(std::move(outcome.result));
  return outcome;
}

Extents Arithmetic::products_of(Extents extents) {
  for (Extent& each : extents) each.value = values_.product(each.value);
  return joined(std::move(extents));
}

}  // namespace tutti
