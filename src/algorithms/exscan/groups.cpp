// Exclusive scan by exchange between neighbouring groups, operand order kept
// (algorithms/group_scan.hpp).
//
// ceil(lg p) rounds, often one fewer than 123-doubling, for twice the messages.
#include "algorithms/group_scan.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::exscan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scan_by_groups(call, me, false, out);
}

constexpr Algorithm groups{
    .collective = Collective::exscan,
    .name = "groups",
    .summary = "neighbouring groups exchange their products",
    .source = "MPICH 4.0",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta) + (p < 4 ? p-2 : ceil(lg(p)))*n*gamma",
    .within = 1.2,
    .write = write,
};

}  // namespace tutti::catalog::exscan
