// Linear pipeline prefix sums of the message's thirds, by turns: latency is hidden.
//
// A rank passes a segment on as soon as it has added its operand, and waits for the next. Here a
// message of each third is under way.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::scan {

static void chain_of(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::prefix_sums(pipeline::ordered_chain(call, me), call, me, out);
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::by_turns(call, me, 3, chain_of, out);
}

constexpr Algorithm chain_turns{
    .collective = Collective::scan,
    .name = "chain_turns",
    .summary = "chains of thirds by turns: messages of all are under way",
    .source = "own; Sanders2007 1",
    .rounds = "segments + min(segments, 3)*(p - 2)",
    .cost = "(segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-1)*ceil(n/segments)*gamma",
    .write = write,
    .parameter = {Open::segments, "4*sqrt((p-2)*n*beta/alpha)"},
    .exclusive =
        {.cost =
             "(segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-2)*ceil(n/segments)*gamma"},
};

}  // namespace tutti::catalog::scan
