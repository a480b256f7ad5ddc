// Recursive doubling allreduce (Thakur2005, 4.5), any p, operand order kept.
//
// Of the first 2r ranks (r = p - 2^floor(lg p)) the even ones first give their vector to the odd
// one beside them, and get the result from it at the end. The others exchange whole vectors over
// doubling distances; what each holds always stands for consecutive ranks.
#include "algorithms/registry.hpp"
#include "algorithms/running.hpp"
#include "topology/pair_fold.hpp"

namespace tutti::catalog::allreduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PairFold fold(call.p);
  const int exchanges = floor_lg(call.p);
  phase::Running running(call, call.input(me), call.output(me), exchanges + fold.is_host(me), out);
  if (fold.pairs() > 0) {
    Round round = out.round();
    if (fold.is_folded(me)) round.send(running.value(), me + 1);
    if (fold.is_host(me)) running.receive_left(round, me - 1);
  }
  for (int k = 0; k < exchanges; ++k) {
    Round round = out.round();
    if (fold.is_folded(me)) continue;
    const Rank peer = fold.rank_of(fold.index_of(me) ^ (1 << k));
    round.send(running.value(), peer);
    if (peer < me) {
      running.receive_left(round, peer);
    } else {
      running.receive_right(round, peer);
    }
  }
  if (!fold.is_folded(me)) running.settle();
  if (fold.pairs() > 0) {
    Round round = out.round();
    if (fold.is_host(me)) round.send(call.output(me), me - 1);
    if (fold.is_folded(me)) round.recv(call.output(me), me + 1);
  }
}

constexpr Algorithm recursive_doubling{
    .collective = Collective::allreduce,
    .name = "recursive_doubling",
    .summary = "whole vectors over doubling distances",
    .source = "Thakur2005 4.5",
    .rounds = "2*ceil(lg(p)) - floor(lg(p))",
    .cost = "(2*ceil(lg(p)) - floor(lg(p)))*(alpha + n*beta) + ceil(lg(p))*n*gamma",
    .within = 1.3,
    .write = write,
    .published = "lg(p)*(alpha + n*beta + n*gamma)",
    .difference = "for powers of two; otherwise without the two rounds that fold and unfold ranks",
};

}  // namespace tutti::catalog::allreduce
