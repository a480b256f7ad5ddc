// Two-tree exscan (Sanders, Speck, Traeff 2007, section 4; shared/ALGORITHMS.md, section 6).
//
// Half the segments use either tree: sums of subtrees go up, then prefixes go down, so the message
// takes twice its time at full bandwidth, for any p and any operator.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::exscan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::exscan(pipeline::ordered_two_tree(call, me), call, me, out);
}

constexpr Algorithm two_tree{
    .collective = Collective::exscan,
    .name = "two_tree",
    .summary = "sums go up two binary trees, prefixes down them",
    .source = "Sanders2007 4",
    .rounds = "2*(segments + 2*ceil(lg(p+1)) - 1)",
    .cost = "(2*(segments + 2*ceil(lg(p+1)) - 1))*(alpha + ceil(n/segments)*beta)",
    .within = 1.5,
    .write = write,
    .parameter = {Open::segments, "sqrt((2*ceil(lg(p+1)) - 1)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::exscan
