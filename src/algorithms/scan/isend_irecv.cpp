// Isend/irecv scan: shares straight to the rank that makes all their prefixes, which go straight
// back.
//
// What `shares` sends with radix p, of which a window is under way at a time: no message waits for
// another within each half, and those of all ranks at once crowd each other out.
#include "algorithms/registry.hpp"
#include "algorithms/share_scan.hpp"

namespace tutti::catalog::scan {

constexpr Algorithm isend_irecv{
    .collective = Collective::scan,
    .name = "isend_irecv",
    .summary = "each rank makes prefixes of its share: operands straight there, results back",
    .source = "own; after Thakur2005 4.3",
    .requires_ = {.divisible = true},
    .rounds = "2*(p - 1)",
    // 1.3 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "(p < 4 ? 1 : 1.3)*(2*(alpha + n/p*beta + (p-2)*window_step(n/p, alpha, beta)) + "
        "(p-1)/p*n*gamma)",
    .within = 1.3,
    .write = phase::scan_by_windows,
    .parameter = {Open::window, "2 + 2*alpha/(n/p*beta)"},
    .exclusive =
        {.cost = "(p < 4 ? 1 : 1.3)*(2*(alpha + n/p*beta + (p-2)*window_step(n/p, alpha, beta)) + "
                 "(p-2)/p*n*gamma)"},
};

}  // namespace tutti::catalog::scan
