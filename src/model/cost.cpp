#include "model/cost.hpp"

#include <algorithm>
#include <cmath>

namespace tutti {

Cost::Cost(const Algorithm& algorithm)
    : open_(algorithm.parameter.open),
      runs_ahead_(!algorithm.synchronous),
      seconds_(algorithm.cost),
      question_(algorithm.question.cost) {
  if (open_ != Open::nothing) best_.emplace(algorithm.parameter.best);
  if (!algorithm.parameter.most.empty()) most_.emplace(algorithm.parameter.most);
}

int Cost::parameter(const Call& call, const Machine& machine) const {
  if (open_ == Open::nothing) return 0;
  const int highest = tutti::most(open_, call);
  if (call.parameter > 0) return std::clamp(call.parameter, least(open_), highest);
  return std::clamp(best(call, machine), least(open_), highest);
}

int Cost::most(const Call& call, const Machine& machine) const {
  const int possible = tutti::most(open_, call);
  if (!most_) return possible;
  const double wanted = (*most_)(call.p, call.bytes(), machine, 1, call.largest_bytes());
  return std::max(static_cast<int>(std::min<double>(wanted, possible)), least(open_));
}

int Cost::best(const Call& call, const Machine& machine) const {
  int highest = most(call, machine);
  const double best = (*best_)(call.p, call.bytes(), machine, 1, call.largest_bytes());
  if (!(best > 0)) return 0;  // also where the formula is 0 / 0
  // Segments that run ahead must arrive in order.
  const bool in_order = call.bytes() / best <= machine.in_order;
  if (open_ == Open::segments && runs_ahead_ && machine.eager > 0 && !in_order) {
    highest = std::min(highest, static_cast<int>(std::min(call.bytes() / machine.eager, 1e6)));
  }
  return best >= highest ? highest : static_cast<int>(std::lround(best));
}

double Cost::seconds(const Call& call, const Machine& machine) const {
  const int chosen = std::max(parameter(call, machine), 1);
  return seconds_(call.p, call.bytes(), machine, chosen, call.largest_bytes()) +
         question_(call.p, call.bytes(), machine, chosen, call.largest_bytes());
}

Call settled(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  Call result = call;
  result.parameter = Cost(algorithm).parameter(call, machine);
  return result;
}

}  // namespace tutti
