// What an algorithm's formulas say: the parameter to choose, and what a call then takes.
#pragma once

#include <optional>

#include "algorithms/algorithm.hpp"
#include "model/formula.hpp"

namespace tutti {

// An algorithm's formulas.
class Cost {
 public:
  explicit Cost(const Algorithm& algorithm);

  // The call's own parameter, or the best on the machine where the call leaves it open.
  int parameter(const Call& call, const Machine& machine) const;
  // The largest to choose.
  int most(const Call& call, const Machine& machine) const;
  // With that parameter, the algorithm's question included; short messages of a rank that do not
  // wait for each other overlap.
  double seconds(const Call& call, const Machine& machine) const;

 private:
  int best(const Call& call, const Machine& machine) const;

  Open open_;
  bool runs_ahead_;  // short messages do
  Formula seconds_, question_;
  std::optional<Formula> best_, most_;
};

// The call with the parameter settled.
Call settled(const Algorithm& algorithm, const Call& call, const Machine& machine);

}  // namespace tutti
