// Two n-block circulant broadcasts of half the message each, a message's latency apart.
//
// A rank sends a segment of one half while the next of the other is asked for and on its way, so
// the network is never idle, and long messages take the time of their bytes: (segments + 2*(q - 1))
// * n/segments*beta and a latency or two where latencies overlap. On a one-ported machine, which
// the formula is for, nothing does. Segments wait for their receivers: sent ahead, those of several
// rounds would share a connection. While each still takes 1.5 latencies, the halves stay apart.
#include "algorithms/circulant_phases.hpp"
#include "algorithms/registry.hpp"
#include "algorithms/turns.hpp"

namespace tutti::catalog::bcast {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  phase::pipelines_apart(call, me, phase::bcast_circulant_all_busy, out);
}

constexpr Algorithm circulant_pair{
    .collective = Collective::bcast,
    .name = "circulant_pair",
    .summary = "two circulant broadcasts of halves, a latency apart: one travels, one is asked for",
    .source = "own; Traeff, arXiv 2407.18004",
    .rounds = "segments > 1 ? 2*(ceil(segments/2) + ceil(lg(p))) - 1 : ceil(lg(p))",
    .cost =
        "segments < 2 ? ceil(lg(p))*(alpha + n*beta)"
        " : 2*(ceil(segments/2) + ceil(lg(p)) - 1)*(alpha + ceil(n/(2*ceil(segments/2)))*beta)"
        " + alpha",
    .write = write,
    // Segments of 1.5 latencies at least: fitted to simulated clusters of 8 to 100 ranks, which
    // share connections fairly. Elsewhere the model does not choose it.
    .parameter = {Open::segments, "4*sqrt((ceil(lg(p)) - 1)*n*beta/alpha)",
                  "max(n*beta/(1.5*alpha), 4*(ceil(lg(p)) - 1))"},
    .synchronous = true,
};

}  // namespace tutti::catalog::bcast
