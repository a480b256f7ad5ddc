// Linear gather (Thakur2005, 6): every rank sends its block straight to the root.
//
// Nothing is forwarded and no rank but the root needs to know more than its own block, so blocks
// may differ in size: for irregular gathers, and for long blocks.
#include "algorithms/registry.hpp"

namespace tutti::catalog::gather {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const Rank root = call.virtual_root();
  if (me == root) out.copy(call.input(me), call.output_block(me));
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    if (me == root) round.recv(call.output_block(root + k), root + k);
    if (me == root + k) round.send(call.input(me), root);
  }
}

constexpr Algorithm linear{
    .collective = Collective::gather,
    .name = "linear",
    .summary = "every block straight to the root",
    .source = "Thakur2005 6",
    .rounds = "p - 1",
    .cost =
        "(p-1)*alpha_uni + (p-1)/p*n*beta_uni - "
        "max(p-2, 0)*hidden(n/p, alpha_uni, beta_uni, 1)",
    .write = write,
};

}  // namespace tutti::catalog::gather
