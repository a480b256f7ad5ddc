// Improved butterfly with 3-2 elimination, then a binomial gather (Rabenseifner and Traeff,
// EuroPVM/MPI 2004): what Sanders2007 compares its reduction with.
//
// Ranks halve their parts of the vector over doubling distances. Where the number of groups is odd,
// three are merged into two, which takes two rounds instead of one: the leaver gives the one beside
// it that one's half while this gives the far one its half, and then the other way. Groups are of
// consecutive ranks, so operand order is kept.
#include "topology/butterfly.hpp"

#include "algorithms/halving.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

using phase::Halving;
using phase::Parts;
using phase::Received;

// One level; `again` is its second round, if it has one.
static void merge(const ButterflyTurn& turn, Rank me, Round round, Round again, Halving& state) {
  const auto side = [&](Rank peer) { return peer < me ? Received::left : Received::right; };
  const bool is_lower = me < turn.peer;
  switch (turn.role) {
    case ButterflyTurn::Role::gone:
      return;
    case ButterflyTurn::Role::pair:
      return state.exchange_halves(round, turn.peer, is_lower);
    case ButterflyTurn::Role::middle:
      round.send(state.keep_half(is_lower), turn.peer);
      state.combine(round, turn.leaver, side(turn.leaver));
      return state.combine(again, turn.peer, side(turn.peer));
    case ButterflyTurn::Role::far_end: {
      const Slice given = state.keep_half(is_lower);
      state.combine(round, turn.peer, side(turn.peer));
      again.send(given, turn.peer);
      return state.combine(again, turn.leaver, side(turn.leaver));
    }
    case ButterflyTurn::Role::leaver: {
      const bool lower_first = turn.peer < turn.other;
      const Parts lower = state.held().lower_half(), upper = state.held().upper_half();
      round.send(state.value_of(lower_first ? lower : upper), turn.peer);
      again.send(state.value_of(lower_first ? upper : lower), turn.other);
    }
  }
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const int levels = floor_lg(call.p), parts = 1 << levels;
  const Rank root = call.virtual_root();
  Halving state(Layout(call.n(), parts), parts, call.input(me),
                call.has_output(me) ? call.output(me) : out.scratch(call.n()), out);
  Butterfly butterfly(call.p, me, root);
  while (!butterfly.is_done()) {
    Round round = out.round();
    const Round again = butterfly.eliminates() ? out.round() : round;
    merge(butterfly.merge(), me, round, again, state);
  }
  const std::vector<Rank>& members = butterfly.members();
  const auto number = [&](Rank rank) {
    return static_cast<int>(std::ranges::find(members, rank) - members.begin());
  };
  const phase::Member member{number(me),
                             [&](int i) { return members[static_cast<std::size_t>(i)]; }};
  bool active = member.number < parts;
  for (int k = 0; k < levels; ++k) {
    Round round = out.round();
    if (active) active = member.double_up_towards(number(root), round, k, state);
  }
  if (me == root) state.settle();
}

constexpr Algorithm butterfly{
    .collective = Collective::reduce,
    .name = "butterfly",
    .summary = "halves over doubling distances, three groups becoming two, then a binomial gather",
    .source = "Rabenseifner and Traeff 2004; Sanders2007 3.2",
    .requires_ = {.divisible = true},
    .rounds = "2*floor(lg(p)) + bits(p) - 1",
    // 1.2 and 1.05 make it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "bits(p) == 1 ? lg(p)*(alpha + alpha_uni) + (p-1)/p*n*(beta + beta_uni + gamma)"
        " : 1.2*((floor(lg(p)) + bits(p) - 1)*alpha + floor(lg(p))*alpha_uni)"
        " + 1.05*((1 - 1/2^floor(lg(p)))*n*(beta + beta_uni + gamma)"
        " + (1 - 2/2^bits(p))/2^twos(p)*n*(beta + gamma))",
    .within = 1.3,
    .write = write,
};

}  // namespace tutti::catalog::reduce
