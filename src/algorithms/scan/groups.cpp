// Scan by exchange between neighbouring groups, operand order kept (algorithms/group_scan.hpp).
//
// Twice the messages of recursive doubling, in as many rounds: every rank waits for its peer in
// every round, so none runs ahead and shares the ports of those who are behind.
#include "algorithms/group_scan.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::scan {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::scan_by_groups(call, me, true, out);
}

constexpr Algorithm groups{
    .collective = Collective::scan,
    .name = "groups",
    .summary = "neighbouring groups exchange their products",
    .source = "MPICH 4.0",
    .rounds = "ceil(lg(p))",
    .cost = "ceil(lg(p))*(alpha + n*beta + n*gamma)",
    .write = write,
};

}  // namespace tutti::catalog::scan
