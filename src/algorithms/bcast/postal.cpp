// Postal tree broadcast (topology/postal_tree.hpp).
//
// A rank sends the message to as many as it can until the first of them could send it too: for
// short messages, where several are under way at once.
#include "algorithms/registry.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::bcast_tree(phase::tree_of(call), call, me, out);
}

constexpr Algorithm postal{
    .collective = Collective::bcast,
    .name = "postal",
    .summary = "whole message down a tree as wide as messages overlap",
    .source = "Bar-Noy1994",
    .rounds = "postal_rounds(p, radix)",
    .cost = "postal_time(p, radix, n, 0, alpha_uni, beta_uni, 0)",
    .write = write,
    .parameter = {Open::radix, "postal_radix(n, alpha_uni, beta_uni)"},
};

}  // namespace tutti::catalog::bcast
