// Binomial tree broadcast (Thakur2005, 4.2).
//
// In each round every rank that has the message sends it to one that has not, the farthest first.
// Few rounds, but the root sends the whole message ceil(lg p) times: for short messages.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::bcast_tree(PostalTree(call.p, 2), call, me, out);
}

constexpr Algorithm binomial{
    .collective = Collective::bcast,
    .name = "binomial",
    .summary = "whole message down a binomial tree",
    .source = "Thakur2005 4.2",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta)",
    .write = write,
};

}  // namespace tutti::catalog::bcast
