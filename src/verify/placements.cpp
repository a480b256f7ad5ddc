#include "verify/placements.hpp"

#include <algorithm>

#include "algorithms/ranks.hpp"
#include "verify/verify.hpp"

namespace tutti {

using PlacementPtr = std::shared_ptr<const Placement>;

static std::vector<PlacementPtr> placements(int p) {
  std::vector<PlacementPtr> result{nullptr, placed_in_blocks(p, 2), placed_in_blocks(p, p)};
  for (const int nodes : {2, 3}) {
    std::vector<std::uint64_t> in_turn;
    in_turn.reserve(static_cast<std::size_t>(p));
    for (int r = 0; r < p; ++r) in_turn.push_back(static_cast<std::uint64_t>(r % nodes));
    result.push_back(placed_on(in_turn));
  }
  return result;
}

static bool is_same_anywhere(const Algorithm& algorithm, Call call) {
  std::optional<std::uint64_t> first;
  for (const PlacementPtr& each : placements(call.p)) {
    call.placement = each;
    const std::uint64_t found =
        fingerprint_of_results(call, InPlace::none, build_all(algorithm, call, InPlace::none));
    if (first && found != *first) return false;
    first = found;
  }
  return true;
}

bool same_bits_anywhere(const Algorithm& algorithm, int p, Length length) {
  for (const bool commutative : {true, false}) {
    for (const int parameter : worth_trying(algorithm.parameter.open, p)) {
      const Call call{.collective = algorithm.collective,
                      .p = p,
                      .root = p - 1,
                      .layout = Layout(Units{2} * p, p),
                      .unit_bytes = length == Length::of_long ? 1 << 20 : 1,
                      .commutative = commutative,
                      .exact = false,
                      .parameter = parameter};
      if (accepts(algorithm, call) && !is_same_anywhere(algorithm, call)) return false;
    }
  }
  return true;
}

}  // namespace tutti
