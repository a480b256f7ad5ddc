// Ring reduce (Thakur2005, 5.3): pairwise exchange, then every block straight to the root.
//
// The vector is cut into p blocks. In p-1 rounds every rank gets all contributions to its own
// block; the root then receives p-1 results. Few bytes for any p, but many rounds.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Rank root = call.virtual_root();
  const Slice result =
      call.has_output(me) ? call.output_block(me) : out.scratch(call.block_size(me));
  phase::reduce_scatter_pairwise(call, me, result, out);
  for (Rank from = 0; from < call.p; ++from) {
    if (from == root) continue;
    Round round = out.round();
    if (me == root) round.recv(call.output_block(from), from);
    if (me == from) round.send(result, root);
  }
}

constexpr Algorithm ring{
    .collective = Collective::reduce,
    .name = "ring",
    .summary = "pairwise exchange reduces p blocks, which go straight to the root",
    .source = "Thakur2005 5.3",
    .requires_ = {.divisible = true},
    .rounds = "2*(p - 1)",
    .cost = "(p-1)*(alpha + alpha_uni) + (p-1)/p*n*(beta + beta_uni + gamma)",
    .write = write,
};

}  // namespace tutti::catalog::reduce
