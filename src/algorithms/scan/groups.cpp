// Prefix sums by exchange between neighbouring groups, operand order kept
// (algorithms/group_scan.hpp).
//
// Twice the messages of recursive doubling, in as many rounds: every rank waits for its peer in
// every round, so none runs ahead and shares the ports of those who are behind. Of an exclusive
// scan often one round fewer than 123-doubling.
#include "algorithms/group_scan.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

constexpr Algorithm groups{
    .collective = Collective::scan,
    .name = "groups",
    .summary = "neighbouring groups exchange their products",
    .source = "MPICH 4.0",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta + n*gamma)",
    .write = phase::scan_by_groups,
    .exclusive = {.cost = "ceil(lg(p))*(alpha + n*beta) + (p < 4 ? p-2 : ceil(lg(p)))*n*gamma",
                  .within = 1.2},
};

}  // namespace tutti::catalog::scan
