// Binomial tree reduce (Thakur2005, 4.5).
//
// Each rank combines its own vector with those of its subtrees, the nearest child first, and passes
// the result on. Subtrees are consecutive, so operand order is kept; when the operator does not
// commute the tree is rooted at rank 0, which hands the result to the root.
#include "topology/binomial.hpp"

#include "algorithms/phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const BinomialTree tree{call.p};
  int children = 0;
  for (int k = 0; k < ceil_lg(call.p); ++k) children += tree.is_parent(me, k);
  const Slice target =
      call.has_output(me) || children == 0 ? call.output(me) : out.scratch(call.n());
  phase::Running running(call.input(me), target, children, out);
  for (int k = 0; k < ceil_lg(call.p); ++k) {
    Round round = out.round();
    if (tree.is_parent(me, k)) running.receive_right(round, me + (1 << k));
    if (tree.is_child(me, k)) round.send(running.value(), me - (1 << k));
  }
  const Rank root = call.virtual_root();
  if (root == 0) {
    if (me == 0) running.settle();
  } else {
    Round round = out.round();
    if (me == 0) round.send(running.value(), root);
    if (me == root) round.recv(call.output(me), 0);
  }
}

constexpr Algorithm binomial{
    .collective = Collective::reduce,
    .name = "binomial",
    .summary = "whole vector up a binomial tree",
    .source = "Thakur2005 4.5",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta + n*gamma)",
    .within = 2,
    .write = write,
};

}  // namespace tutti::catalog::reduce
