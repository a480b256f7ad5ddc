// Prefix sums by transposition: each rank makes all prefixes of its share of the elements.
//
// Two all-to-alls move everything twice, however many ranks there are; their radix trades rounds
// for bytes.
#include "algorithms/registry.hpp"
#include "algorithms/share_scan.hpp"

namespace tutti::catalog::scan {

constexpr Algorithm shares{
    .collective = Collective::scan,
    .name = "shares",
    .summary = "an all-to-all, each rank makes prefixes of its share, and an all-to-all back",
    .source = "own; Fan2022 3",
    .requires_ = {.divisible = true},
    .rounds = "2*digit_rounds(p, radix)",
    // 1.3 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "(p < 4 ? 1 : 1.3)*(2*(digit_rounds(p, radix)*alpha + digit_blocks(p, radix)/p*n*beta - "
        "digit_hidden(p, radix, n/p, alpha, beta, 2)) + (p-1)/p*n*gamma)",
    .within = 1.3,
    .write = phase::scan_by_shares,
    .parameter = {Open::radix,
                  "overlap > 0 && n/p >= overlap ? p : best_radix(p, n/p, alpha, beta, 2)"},
    .exclusive = {.cost = "(p < 4 ? 1 : 1.3)*(2*(digit_rounds(p, radix)*alpha + digit_blocks(p, "
                          "radix)/p*n*beta - "
                          "digit_hidden(p, radix, n/p, alpha, beta, 2)) + (p-2)/p*n*gamma)"},
};

}  // namespace tutti::catalog::scan
