// Linear pipeline exclusive scan of the message's parts, by turns: latency is hidden.
//
// A rank passes a segment on as soon as it has added its operand, and waits for the next. Here a
// message of each part is under way.
#include "algorithms/phases.hpp"
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::exscan {

static void chain_of(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::exscan(pipeline::ordered_chain(call, me), call, me, out);
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::pipelines_by_turns(call, me, chain_of, out);
}

constexpr Algorithm chain_turns{
    .collective = Collective::exscan,
    .name = "chain_turns",
    .summary = "chains of parts by turns: messages of all are under way",
    .source = "own; Sanders2007 1",
    .rounds = "segments + min(floor(segments^(1/3) + 0.5), 6)*(p - 2)",
    .cost = "(segments + p - 2)*(alpha + ceil(n/segments)*beta) + (p-2)*ceil(n/segments)*gamma",
    .write = write,
    .parameter = {Open::segments, "4*sqrt((p-2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::exscan
