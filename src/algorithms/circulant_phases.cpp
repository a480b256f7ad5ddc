#include "algorithms/circulant_phases.hpp"

#include "algorithms/running.hpp"
#include "topology/circulant.hpp"
#include "topology/circulant_blocks.hpp"
#include "topology/logarithm.hpp"

namespace tutti::phase {

// With `all_busy`, whoever has no segment to send yet sends a blank one.
static void write_bcast_circulant(const Call& call, Rank me, bool all_busy, ScheduleBuilder& out) {
  out.pace(Pace::in_turn, ceil_lg(call.p));  // until each neighbour has its turn again
  const CirculantBlocks blocks(call.p, me);
  const Layout segments(call.n(), call.parameter);
  const auto segment = [&](int i) {
    return Slice{Buffer::out, segments.offset(i), segments.size(i)};
  };
  const Units longest = all_busy ? segments.size(0) : 0;
  const Slice blank = out.blank(longest), unwanted = out.blank(longest);
  for (int t = 0; t < blocks.rounds(call.parameter); ++t) {
    const CirculantBlocks::Exchange exchange = blocks.exchange(t, call.parameter);
    Round round = out.round();
    if (exchange.sent || exchange.to != 0) {
      round.send(exchange.sent ? segment(*exchange.sent) : blank, exchange.to);
    }
    if (me != 0) {
      round.recv(exchange.received ? segment(*exchange.received) : unwanted, exchange.from);
    }
  }
}

void bcast_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  write_bcast_circulant(call, me, false, out);
}

void bcast_circulant_all_busy(const Call& call, Rank me, ScheduleBuilder& out) {
  write_bcast_circulant(call, me, true, out);
}

void reduce_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice own = call.input(me);
  const Slice sums = call.has_output(me) ? call.output(me) : out.scratch(call.n());
  if (call.p == 1) return out.copy(own, sums);
  out.pace(Pace::in_turn);  // a new sender in every round
  const CirculantBlocks blocks(call.p, me);
  const Layout segments(call.n(), call.parameter);
  const auto segment = [&](const Slice& whole, int i) {
    return part(whole, segments.offset(i), segments.size(i));
  };
  const Slice landings[] = {out.scratch(segments.size(0)), out.scratch(segments.size(0))};
  std::vector<Slice> values;
  values.reserve(static_cast<std::size_t>(call.parameter));
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
}

void reduce_scatter_circulant(const Call& call, Rank me, const BlocksAt& partial,
                              const Slice& result, ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  const int q = static_cast<int>(skip.size()) - 1;
  if (q == 0) return out.copy(call.input_blocks(me), {result});
  // The first round reads the input, and reduces every block that a later round reduces. With p
  // odd it leaves one block of the upper half as it is, to be sent with the others in the second.
  const int reduced = skip[q] - skip[q - 1];
  const int unreduced = skip[q - 1] - reduced;
  for (int k = q - 1; k >= 0; --k) {
    Round round = out.round();
    const int count = skip[k + 1] - skip[k];
    const auto current = [&](Rank v) {
      return k == q - 1 ? call.input_blocks(v, count) : partial(v, count);
    };
    round.send(current(me + skip[k]), me + skip[k]);
    const Slices into = k == 0 ? Slices{result} : partial(me, count);
    combine_from(round, me - skip[k], Received::left, call.operands(current(me), me, count), into,
                 out);
    if (k == q - 1 && k > 0) {
      out.copy(call.input_blocks(me + reduced, unreduced), partial(me + reduced, unreduced));
    }
  }
}

void reduce_scatter_circulant_to(const Call& call, Rank me, const Slice& result,
                                 ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  const int kept = skip.size() < 3 ? 0 : skip[skip.size() - 2];
  const Slice partials = out.scratch(call.blocks_size(me, kept));
  const auto at = [&](Rank v, int count) { return Slices{among(partials, call, me, v, count)}; };
  reduce_scatter_circulant(call, me, at, result, out);
}

void allgather_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  const std::vector<int> skip = circulant_skips(call.p);
  for (std::size_t k = 0; k + 1 < skip.size(); ++k) {
    Round round = out.round();
    const int count = skip[k + 1] - skip[k];
    round.send(call.output_blocks(me, count), me - skip[k]);
    round.recv(call.output_blocks(me + skip[k], count), me + skip[k]);
  }
}

void allreduce_circulant(const Call& call, Rank me, ScheduleBuilder& out) {
  const auto at = [&](Rank v, int count) { return call.output_blocks(v, count); };
  reduce_scatter_circulant(call, me, at, call.output_block(me), out);
  allgather_circulant(call, me, out);
}

}  // namespace tutti::phase
