// Recursive doubling reduce-scatter (Thakur2005, 4.4), operand order kept.
//
// Groups of 2^k neighbours exchange their partial results over doubling distances. Only those
// blocks travel that the receiver ends with or passes on: the ones whose numbers agree with its own
// in the bits dealt with. Of the first 2r ranks (r = p - 2^floor(lg p)) the even ones are folded
// into the odd one beside them.
#include "algorithms/hosted_result.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/running.hpp"
#include "topology/pair_fold.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p);
  const int members = 1 << floor_lg(call.p);
  const int index = fold.index_of(me);
  const Slice kept[] = {out.scratch(call.n()), out.scratch(call.n())};
  Slice value = call.input(me);
  if (fold.pairs() > 0) {
    Round round = out.round();
    if (fold.is_folded(me)) round.send(value, me + 1);
    if (fold.is_host(me)) {
      phase::combine_from(round, me - 1, phase::Received::left, call.operands(value), {kept[1]},
                          out);
      value = kept[1];
    }
  }
  const phase::HostedResult result(call, fold, me, out);
  // The blocks of every 2^(k+1)th rank that stays, counted from `number`, and of those it hosts.
  const auto wanted = [&](const Slice& vector, int number, int k) {
    Slices blocks;
    for (int i = number % (2 << k); i < members; i += 2 << k) {
      for (Rank r = fold.first_rank(i); r < fold.first_rank(i + 1); ++r) {
        blocks.push_back(part(vector, call.layout.offset(r), call.layout.size(r)));
      }
    }
    return blocks;
  };
  for (int k = 0; (1 << k) < members; ++k) {
    Round round = out.round();
    if (fold.is_folded(me)) continue;
    const int peer_index = index ^ (1 << k);
    const Rank peer = fold.rank_of(peer_index);
    const bool is_last = (2 << k) == members;
    const Slice next = value == kept[0] ? kept[1] : kept[0];
    round.send(wanted(value, peer_index, k), peer);
    phase::combine_from(round, peer, peer < me ? phase::Received::left : phase::Received::right,
                        wanted(value, index, k), is_last ? result.place() : wanted(next, index, k),
                        out);
    value = next;
  }
  if (call.p == 1) out.copy(value, call.output(me));
  result.hand_over(out);
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::reduce_scatter,
    .name = "recursive_doubling",
    .summary = "partial results over doubling distances, operand order kept",
    .source = "Thakur2005 4.4",
    .rounds = "floor(lg(p)) + (is_power_of_two(p) ? 0 : 2)",
    // 2.25 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "is_power_of_two(p) ? lg(p)*alpha + min((p-1)*largest, lg(p)*n)*(beta + gamma)"
        " : (floor(lg(p)) + 3)*(alpha + min(2.25*p*largest/(floor(lg(p)) + 3), n)*(beta + gamma))",
    .within = 1.6,
    .write = write,
    .published = "lg(p)*alpha + n*(lg(p) - (p-1)/p)*(beta + gamma)",
    .difference = "the paper sends every block outside the sender's group; most of it nobody uses",
};

}  // namespace tutti::catalog::reduce_scatter
