// n-block circulant reduction: the broadcast of that name, backwards (Traeff, arXiv 2407.18004).
//
// Where the broadcast sends a segment on, the reduction receives a partial sum of it, and what is
// received only once is sent only once. Sums arrive in no particular order.
#include "algorithms/registry.hpp"
#include "topology/circulant_blocks.hpp"

namespace tutti::catalog::reduce {

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::in_turn);  // a new sender in every round
  const CirculantBlocks blocks(call.p, me);
  const Layout segments(call.n(), call.parameter);
  const auto segment = [&](const Slice& whole, int i) {
    return part(whole, segments.offset(i), segments.size(i));
  };
  const Slice own = call.input(me);
  const Slice sums = call.has_output(me) ? call.output(me) : out.scratch(call.n());
  const Slice landings[] = {out.scratch(segments.size(0)), out.scratch(segments.size(0))};
  std::vector<Slice> values;
  for (int i = 0; i < call.parameter; ++i) values.push_back(segment(own, i));
  for (int t = blocks.rounds(call.parameter) - 1; t >= 0; --t) {
    const CirculantBlocks::Exchange exchange = blocks.exchange(t, call.parameter);
    Round round = out.round();
    if (exchange.received) round.send(values[*exchange.received], exchange.from);
    if (!exchange.sent) continue;
    Slice& value = values[*exchange.sent];
    const Slice sum = segment(sums, *exchange.sent);
    const Slice landing = value == sum ? part(landings[t % 2], 0, sum.size) : sum;
    round.recv(landing, exchange.to);
    out.reduce(value, landing, sum);
    value = sum;
  }
  if (call.p == 1) out.copy(own, sums);
}

constexpr Algorithm circulant{
    .collective = Collective::reduce,
    .name = "circulant",
    .summary = "segments over the circulant graph, in the fewest rounds",
    .source = "Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true},
    .rounds = "segments - 1 + ceil(lg(p))",
    .cost =
        "p == 2 ? segments*(alpha + ceil(n/segments)*beta) + ceil(n/segments)*gamma : (segments + "
        "ceil(lg(p)))*(alpha + ceil(n/segments)*(beta + gamma))",
    .within = 1.4,
    .write = write,
    .parameter = {Open::segments,
                  "sqrt((p == 2 ? gamma : (ceil(lg(p)) - 1)*(beta + gamma))*n/alpha)"},
};

}  // namespace tutti::catalog::reduce
