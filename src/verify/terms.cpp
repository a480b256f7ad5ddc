#include "verify/terms.hpp"

#include <algorithm>

namespace tutti {

// The call as the standard describes it: what a rank is promised does not depend on what it is
// told.
static Call as_promised(const Call& call, InPlace in_place, Rank rank) {
  Call mine = call_of_rank(call, in_place, rank);
  if (!call.exchange) mine.layout = call.layout;
  return mine;
}

// The blocks of a reduce-scatter; of other reductions, the vector.
static std::vector<Units> borders_of_operands(const Call& call) {
  const int count = info(call.collective).owns_blocks ? call.p : 1;
  std::vector<Units> borders{0};
  for (int i = 1; i < count; ++i) borders.push_back(call.layout.offset(i));
  borders.push_back(call.n());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

Terms terms_of(const Call& call, InPlace in_place) {
  return {.p = call.p,
          .commutative = call.commutative,
          .barrier = call.collective == Collective::barrier,
          .same_bits = call.collective == Collective::allreduce && !call.exact,
          .order = call.order(),
          .operands = call.whole_operands ? borders_of_operands(call) : std::vector<Units>{},
          .sizes =
              [&call, in_place](Rank rank) {
                const Call mine = call_of_rank(call, in_place, rank);
                const Rank me = mine.virtual_rank(rank);
                return std::array{mine.input_units(me), mine.output_units(me)};
              },
          .before =
              [&call, in_place](Rank rank, Products& values) {
                return before(as_promised(call, in_place, rank), rank, values);
              },
          .after =
              [&call, in_place](Rank rank, Products& values) {
                return after(as_promised(call, in_place, rank), rank, values);
              }};
}

Terms terms_of_question(const Algorithm& algorithm, const Call& call) {
  const Call sizes = about_sizes(call);
  const auto answers = [&algorithm, sizes](Rank rank, Products& values) {
    const bool own = info(sizes.collective).regular == Collective::gather;  // one size, its own
    std::vector<Held> result;
    for (const Pair& pair : asked_about(algorithm, sizes, rank)) {
      const Units at = static_cast<Units>(result.size());
      const Units index = own ? 0 : pair.to;
      result.push_back({{Buffer::out, at, 1}, {{values.of_ranks(pair.from, pair.from), index, 1}}});
    }
    return result;
  };
  return {.p = call.p,
          .sizes =
              [&algorithm, sizes](Rank rank) {
                const auto number = static_cast<Units>(asked_about(algorithm, sizes, rank).size());
                return std::array{sizes.input_units(sizes.virtual_rank(rank)), number};
              },
          .before = [sizes](Rank rank, Products& values) { return before(sizes, rank, values); },
          .after = answers};
}

}  // namespace tutti
