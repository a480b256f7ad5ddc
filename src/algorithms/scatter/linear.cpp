// Linear scatter (Thakur2005, 6): the root sends every rank its block.
//
// Nothing is forwarded and no rank but the root needs to know more than its own block, so blocks
// may differ in size: for irregular scatters, and for long blocks.
#include "algorithms/exchange_phases.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const bool root = me == call.virtual_root();
  const auto at = [&](Rank v) { return root ? call.input_block(v) : call.output(me); };
  out.pace(Pace::all_at_once);  // nobody waits for the first message more than for the last
  phase::scatter_linear(call, me, at, out);
  if (root) out.copy(call.input_block(me), call.output(me));
}

constexpr Algorithm linear{
    .collective = Collective::scatter,
    .name = "linear",
    .summary = "every block straight from the root",
    .source = "Thakur2005 6",
    .rounds = "p - 1",
    .cost =
        "(p-1)*alpha_uni + (p-1)/p*n*beta_uni - "
        "max(p-2, 0)*hidden(n/p, alpha_uni, beta_uni, 1)",
    .write = write,
};

}  // namespace tutti::catalog::scatter
