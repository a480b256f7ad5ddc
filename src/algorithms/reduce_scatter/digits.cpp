// Digit elimination reduce-scatter, any radix (shared/ALGORITHMS.md, section 3).
//
// The partial result for rank me+d makes a hop for every digit of d that is not zero, lowest weight
// first, and is combined with one that stays. So most of the data goes to ranks near by. Every
// radix moves p-1 blocks; a larger one takes more rounds, with more of them independent.
#include "algorithms/digits.hpp"

#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::reduce_scatter_digits(call, me, call.output(me), out);
}

constexpr Algorithm digits{
    .collective = Collective::reduce_scatter,
    .name = "digits",
    .summary = "most data to ranks near by, in rounds for the digits of the distance",
    .source = "ALGORITHMS.md 3",
    .requires_ = {.commutative = true},
    .rounds = "digit_rounds(p, radix)",
    .cost =
        "digit_rounds(p, radix)*alpha + min((p-1)*largest, digit_rounds(p, radix)*n)*beta"
        " + min(digit_combining(p, radix, largest, alpha, beta, gamma),"
        " digit_rounds(p, radix)*n*gamma)",
    .write = write,
    .parameter = {Open::radix, "2"},
};

}  // namespace tutti::catalog::reduce_scatter
