// Reduce to rank 0, then scatter (Thakur2005, 4.4): the old reduce-scatter.
//
// Whole vectors travel up a binomial tree; rank 0 sends every rank its block of the result. Operand
// order is kept.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const PostalTree tree(call.p, 2);
  const bool leaf = me != 0 && tree.place(me).is_leaf();
  const Slice result = leaf ? Slice{} : call.p == 1 ? call.output(me) : out.scratch(call.n());
  phase::vectors_up(tree, call, me, result, out);
  const auto at = [&](Rank v) {
    if (me != 0) return call.output(me);
    const Slice block = call.output_block(v);
    return part(result, block.offset, block.size);
  };
  phase::scatter_linear(call, me, at, out);
  if (me == 0) out.copy(at(0), call.output(0));
}

constexpr Algorithm reduce_scatterv{
    .collective = Collective::reduce_scatter,
    .name = "reduce_scatterv",
    .summary = "whole vectors up a binomial tree, then every rank its block",
    .source = "Thakur2005 4.4",
    .rounds = "ceil(lg(p)) + p - 1",
    .cost = "postal_time(p, 2, n, 0, alpha, beta, n*gamma) + (p-1)*alpha + (p-1)/p*n*beta",
    .write = write,
    .published = "(lg(p) + p-1)*alpha + (lg(p) + (p-1)/p)*n*beta + n*lg(p)*gamma",
    .difference =
        "for powers of two; otherwise the tree has ceil(lg(p)) rounds, and some ranks reduce while "
        "they "
        "receive more",
};

}  // namespace tutti::catalog::reduce_scatter
