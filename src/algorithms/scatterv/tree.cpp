// Irregular scatter down a tree made for the sizes (Traeff; shared/ALGORITHMS.md, section 11): the
// irregular gather's tree, backwards.
#include "algorithms/blocks.hpp"
#include "algorithms/merged_blocks.hpp"
#include "algorithms/registry.hpp"
#include "topology/logarithm.hpp"

namespace tutti::catalog::scatterv {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  const phase::Collected mine = phase::collected(call, me);
  const phase::BlocksAt at = phase::collected_at(call, me, mine, out);
  std::size_t left = mine.merges.size();
  for (int level = ceil_lg(call.p) - 1; level >= 0; --level) {
    Round round = out.round();
    if (left == 0 || mine.merges[left - 1].level != level) continue;
    const Merge& merge = mine.merges[--left];
    if (merge.from == me) round.recv(at(merge.first, merge.count), merge.to);
    if (merge.to == me) round.send(at(merge.first, merge.count), merge.from);
  }
  out.copy(at(me, 1), Slices{call.output(me)});
}

constexpr Algorithm tree{
    .collective = Collective::scatterv,
    .name = "tree",
    .summary = "groups split, the one with less to move is sent its blocks",
    .source = "ALGORITHMS.md 11",
    .requires_ = {.agreement = true},
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*alpha + min(2*(p-1)/p*n, (p-1)/p*n + largest - n/p)*beta",
    .write = write,
};

}  // namespace tutti::catalog::scatterv
