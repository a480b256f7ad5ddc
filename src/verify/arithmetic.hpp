// What reductions make of symbols, and whether they may be asked for so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "verify/terms.hpp"

namespace tutti {

class Arithmetic {
 public:
  // The terms outlive it.
  explicit Arithmetic(const Terms& terms)
      : terms_(terms),
        values_(terms.commutative, terms.same_bits || terms.keep_expressions
                                       ? Products::Keep::expression
                                       : Products::Keep::ranks) {}

  Products& values() { return values_; }

  struct Outcome {
    Extents result;
    std::string complaint;  // empty, if the reduction is right
  };
  // Of one reduction at `rank`: left op right, which are as long as each other.
  Outcome combine(Rank rank, const Extents& left, const Extents& right);

  // What was combined, not how.
  Extents products_of(Extents extents);

 private:
  struct Combination {
    Units first, end;
    Rank rank;
  };

  // Whether the operator sees one operand, and all of it.
  bool is_whole(const Extents& operand) const;
  bool in_order(ValueId left, ValueId right) const {
    return values_.lowest(left, terms_.order) < values_.lowest(right, terms_.order);
  }
  bool is_alone(Rank rank, const Extent& result);

  const Terms& terms_;
  Products values_;
  std::map<ValueId, std::vector<Combination>> out_of_order_;
};

}  // namespace tutti
