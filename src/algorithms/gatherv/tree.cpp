// Irregular gather up a tree made for the sizes (Traeff; shared/ALGORITHMS.md, section 11).
//
// Neighbouring groups merge in ceil(lg p) rounds; the one with less to move sends all it has to the
// other's collector, so a large block does not travel twice. Blocks collected are consecutive. At
// most twice the least time, where a plain binomial tree may take six times as much.
#include "algorithms/blocks.hpp"
#include "algorithms/merged_blocks.hpp"
#include "algorithms/registry.hpp"
#include "topology/logarithm.hpp"
#include "topology/merge_tree.hpp"

namespace tutti::catalog::gatherv {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const phase::Collected mine = phase::collected(call, me);
  const phase::BlocksAt at = phase::collected_at(call, me, mine, out);
  out.copy(Slices{call.input(me)}, at(me, 1));
  std::size_t next = 0;
  for (int level = 0; level < ceil_lg(call.p); ++level) {
    Round round = out.round();
    if (next == mine.merges.size() || mine.merges[next].level != level) continue;
    const Merge& merge = mine.merges[next++];
    if (merge.to == me) round.recv(at(merge.first, merge.count), merge.from);
    if (merge.from == me) round.send(at(merge.first, merge.count), merge.to);
  }
}

constexpr Algorithm tree{
    .collective = Collective::gatherv,
    .name = "tree",
    .summary = "neighbouring groups merge, the one with less to move sends",
    .source = "ALGORITHMS.md 11",
    .requires_ = {.agreement = true},
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + min(2*(p-1)/p*n, (p-1)/p*n + largest - n/p)*beta",
    .write = write,
};

}  // namespace tutti::catalog::gatherv
