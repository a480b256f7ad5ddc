// Two-tree prefix sums (Sanders, Speck, Traeff 2007, section 4; shared/ALGORITHMS.md, section 6).
//
// Half the segments use either tree: sums of subtrees go up, then prefixes go down, so the message
// takes twice its time at full bandwidth, for any p and any operator.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::prefix_sums(pipeline::ordered_two_tree(call, me), call, me, out);
}

constexpr Algorithm two_tree{
    .collective = Collective::scan,
    .name = "two_tree",
    .summary = "sums go up two binary trees, prefixes down them",
    .source = "Sanders2007 4",
    .rounds = "p < 4 ? segments + p - 2 : 2*(segments + 2*ceil(lg(p+1)) - 1)",
    .cost =
        "p < 4 ? (segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-1)*ceil(n/segments)*gamma "
        ": 2*(segments + 2*ceil(lg(p+1)) - 1)*(alpha + ceil(n/segments)*(beta + gamma))",
    .within = 1.7,
    .write = write,
    .parameter =
        {Open::segments,
         "sqrt((p < 4 ? (p-2)*beta + (p-1)*gamma : (2*ceil(lg(p+1)) - 1)*(beta + gamma))*n/alpha)"},
    // 0.62 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .exclusive =
        {.cost =
             "p < 4 ? (segments + p - 2)*(alpha + ceil(n/segments)*beta) + "
             "(p-2)*ceil(n/segments)*gamma "
             ": 2*(segments + 2*ceil(lg(p+1)) - 1)*(alpha + ceil(n/segments)*(beta + 0.62*gamma))",
         .within = 2.0,
         .best = "sqrt((p < 4 ? (p-2)*beta + (p-2)*gamma : (2*ceil(lg(p+1)) - 1)*(beta + "
                 "0.62*gamma))*n/alpha)"},
};

}  // namespace tutti::catalog::scan
