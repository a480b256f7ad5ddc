// Recursive halving reduce-scatter (Thakur2005, 4.4 and figure 9); the operator must commute.
//
// Of the first 2r ranks (r = p - 2^floor(lg p)) the even ones give their vector to the odd one
// beside them. The others exchange over halving distances the blocks that the other half of the
// ranks needs, until each has its own, and that of the rank it stands for.
#include "algorithms/hosted_result.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/running.hpp"
#include "topology/pair_fold.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p);
  const int index = fold.index_of(me);
  Slice value = call.input(me);  // the blocks of the ranks first .. last-1, and of those they host
  if (fold.pairs() > 0) {
    Round round = out.round();
    if (fold.is_folded(me)) round.send(value, me + 1);
    if (fold.is_host(me)) {
      const Slice into = out.scratch(call.n());
      phase::combine_from(round, me - 1, phase::Received::left, call.operands(value), {into}, out);
      value = into;
    }
  }
  const phase::HostedResult result(call, fold, me, out);
  const auto offset = [&](int number) { return call.layout.offset(fold.first_rank(number)); };
  // `distance` members' blocks from that of member `number` on.
  const auto operands = [&](const Slice& place, int number, int distance) {
    const Rank from = fold.first_rank(number);
    return call.operands({place}, from, fold.first_rank(number + distance) - from);
  };
  int first = 0;
  for (int distance = 1 << floor_lg(call.p) >> 1; distance > 0; distance /= 2) {
    Round round = out.round();
    if (fold.is_folded(me)) continue;
    const bool is_lower = (index & distance) == 0;
    const Units lower_size = offset(first + distance) - offset(first);
    const Slice lower = part(value, 0, lower_size);
    const Slice upper = part(value, lower_size, value.size - lower_size);
    const Slice own = is_lower ? lower : upper;
    const Rank peer = fold.rank_of(index ^ distance);
    round.send(is_lower ? upper : lower, peer);
    const bool is_last = distance == 1;
    const Slice kept = value.buffer == Buffer::scratch || is_last ? own : out.scratch(own.size);
    if (!is_lower) first += distance;
    phase::combine_from(round, peer, phase::Received::left, operands(own, first, distance),
                        is_last ? result.place() : Slices{kept}, out);
    value = kept;
  }
  if (call.p == 1) out.copy(value, call.output(me));
  result.hand_over(out);
}

constexpr Algorithm recursive_halving{
    .collective = Collective::reduce_scatter,
    .name = "recursive_halving",
    .summary = "exchanges what the other half needs, over halving distances",
    .source = "Thakur2005 4.4",
    .requires_ = {.commutative = true},
    .rounds = "floor(lg(p)) + (is_power_of_two(p) ? 0 : 2)",
    // 2.4 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "is_power_of_two(p) ? lg(p)*alpha + min((p-1)*largest, lg(p)*n)*(beta + gamma)"
        " : (floor(lg(p)) + 3)*(alpha + min(2.4*p*largest/(floor(lg(p)) + 3), n)*(beta + gamma))",
    .within = 1.7,
    .write = write,
    .published =
        "is_power_of_two(p) ? lg(p)*alpha + (p-1)/p*n*(beta + gamma)"
        " : (floor(lg(p)) + 2)*alpha + 2*n*beta + (1 + (p-1)/p)*n*gamma",
    .difference = "for powers of two; otherwise approximate: ranks that stand for two carry more",
};

}  // namespace tutti::catalog::reduce_scatter
