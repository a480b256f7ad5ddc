// Linear pipeline broadcast (Sanders2007, section 1).
//
// The message goes from rank to rank in segments. Everything travels once at full bandwidth, after
// p-2 rounds to fill the pipeline: for the longest messages and few ranks.
#include "algorithms/pipeline.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  pipeline::bcast(pipeline::chain(call, me), {Buffer::out, 0, call.n()}, out);
}

constexpr Algorithm chain{
    .collective = Collective::bcast,
    .name = "chain",
    .summary = "segments go from rank to rank",
    .source = "Sanders2007 1",
    .rounds = "segments + p - 2",
    .cost = "(segments + p - 2)*(alpha + ceil(n/segments)*beta)",
    .write = write,
    .parameter = {Open::segments, "sqrt((p-2)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
