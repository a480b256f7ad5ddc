// n-block circulant broadcasts of the message's parts, by turns: latency is hidden.
//
// In the broadcast over the circulant graph a rank sends on in the next round what it has just
// received, so every round takes a message's whole latency. Here a message of each part is under
// way: a rank sends a segment of one while one of another arrives. The fill takes as many times the
// rounds as there are parts.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::pipelines_by_turns(call, me, phase::bcast_circulant, out);
}

constexpr Algorithm circulant_turns{
    .collective = Collective::bcast,
    .name = "circulant_turns",
    .summary = "circulant broadcasts of parts by turns: messages of all are under way",
    .source = "own; Traeff, arXiv 2407.18004",
    .rounds = "segments + parts(segments)*(ceil(lg(p)) - 1)",
    .cost =
        "(segments + parts(segments)*(ceil(lg(p)) - 1))*(alpha + "
        "ceil(n/segments)*beta)",
    .write = write,
    .parameter = {Open::segments, "4*sqrt((ceil(lg(p)) - 1)*n*beta/alpha)"},
};

}  // namespace tutti::catalog::bcast
