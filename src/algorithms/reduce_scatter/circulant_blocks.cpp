// n-block circulant reduce-scatter (Traeff, arXiv 2407.18004; shared/ALGORITHMS.md, section 5): p
// reductions at once, for blocks of very different sizes.
//
// The n-block circulant allgatherv (allgatherv/circulant_blocks.cpp) backwards: every rank's block
// is cut into segments and reduced over the circulant graph, and what passes in a round travels in
// one message. Even if one rank owns all data nobody passes on more than a segment of it in a
// round. The segments are taken in two halves, a message's latency apart (turns.hpp,
// pipelines_apart).
#include "topology/circulant_blocks.hpp"

#include "algorithms/blocks.hpp"
#include "algorithms/registry.hpp"

namespace tutti::catalog::reduce_scatter {

namespace {

// For more ranks it would take too many pieces of memory.
bool few_enough(const Call& call) { return call.p <= 32; }

// Segments of blocks: as many of each, whatever its size.
class Segments {
 public:
  Segments(const Call& call, int count) : call_(call), count_(count) {}
  Slice of(const Slice& block, int i) const {
    const Layout cut(block.size, count_);
    return part(block, cut.offset(i), cut.size(i));
  }
  // Units that one of each block take at most.
  Units room() const {
    Units sum = 0;
    for (Rank root = 0; root < call_.p; ++root) {
      sum += Layout(call_.block_size(root), count_).largest();
    }
    return sum;
  }

 private:
  const Call& call_;
  int count_;
};

// Reduces segments first, first+1, ..., first+count-1 of all blocks, into `sums` by root.
void write_part(const Call& call, Rank me, const std::vector<CirculantBlocks>& broadcasts,
                const Segments& segments, int first, int count, const Slices& sums,
                ScheduleBuilder& out) {
  std::vector<Slices> values(sums.size());  // by root, the partial results
  for (Rank root = 0; root < call.p; ++root) {
    for (int i = 0; i < count; ++i) {
      values[static_cast<std::size_t>(root)].push_back(
          segments.of(call.input_block(root), first + i));
    }
  }
  const Slice landings[] = {out.scratch(segments.room()), out.scratch(segments.room())};
  for (int t = broadcasts.front().rounds(count) - 1; t >= 0; --t) {
    Slices sent, places, operands, received, results;
    Units landed = 0;
    for (Rank root = 0; root < call.p; ++root) {
      const auto number = static_cast<std::size_t>(root);
      const auto exchange = broadcasts[number].exchange(t, count);
      if (exchange.received) {
        sent.push_back(values[number][static_cast<std::size_t>(*exchange.received)]);
        places.push_back(segments.of(sums[number], first + *exchange.received));
      }
      if (!exchange.sent) continue;
      Slice& value = values[number][static_cast<std::size_t>(*exchange.sent)];
      const Slice sum = segments.of(sums[number], first + *exchange.sent);
      const bool apart = value == sum || root == me;
      operands.push_back(value);
      received.push_back(apart ? part(landings[t % 2], landed, sum.size) : sum);
      results.push_back(sum);
      landed += sum.size;
      value = sum;
    }
    // A message lies in one buffer: what nothing was added to is then put where sums are.
    if (!phase::in_one_buffer(sent)) {
      for (std::size_t i = 0; i < sent.size(); ++i) {
        out.copy(sent[i], places[i]);
        sent[i] = places[i];
      }
    }
    const auto own = broadcasts[static_cast<std::size_t>(me)].exchange(t, count);
    Round round = out.round();
    round.send(sent, me + own.from);
    round.recv(received, me + own.to);
    out.reduce(operands, received, results);
  }
}

void write(const Call& call, Rank me, ScheduleBuilder& out) {
  if (call.p == 1) return out.copy(call.input_block(me), call.output(me));
  const Slice result = out.apart(call.output(me), {call.input(me)});
  std::vector<CirculantBlocks> broadcasts;  // by root
  Slices sums;
  for (Rank root = 0; root < call.p; ++root) {
    broadcasts.emplace_back(call.p, call.wrapped(me - root));
    sums.push_back(root == me ? result : out.scratch(call.block_size(root)));
  }
  const Segments segments(call, call.parameter);
  const Layout halves(call.parameter, std::min(call.parameter, 2));
  std::vector<ScheduleBuilder::Part> parts;
  for (int i = 0; i < std::min(call.parameter, 2); ++i) {
    parts.push_back({out.fresh()});
    write_part(call, me, broadcasts, segments, static_cast<int>(halves.offset(i)),
               static_cast<int>(halves.size(i)), sums, parts.back().written);
  }
  out.pace(Pace::in_turn, static_cast<int>(parts.size()));
  out.by_turns(parts, ScheduleBuilder::Start::apart);
  out.copy(result, call.output(me));
}

}  // namespace

constexpr Algorithm circulant_blocks{
    .collective = Collective::reduce_scatter,
    .name = "circulant_blocks",
    .summary = "all blocks in segments over the circulant graph, whatever their sizes",
    .source = "own; Traeff, arXiv 2407.18004",
    .requires_ = {.commutative = true, .also = {few_enough, "p at most 32"}},
    .rounds = "segments + (segments > 1 ? 2*ceil(lg(p)) - 1 : ceil(lg(p)) - 1)",
    .cost =
        "(segments + min(segments, 2)*(ceil(lg(p)) - 1) + (segments > 1 ? 1 : 0))*alpha"
        " + min((p-1)*largest, (segments + min(segments, 2)*(ceil(lg(p)) - 1))/segments*n)"
        "*(max(beta, gamma) + min(beta, gamma)/segments)",
    .within = 1.1,
    .write = write,
    // Segments of 2.6 latencies at least: fitted to simulated clusters of 8 to 100 ranks. On hosts
    // with a slow network this bound was not tried by itself.
    .parameter = {Open::segments, "(p-1)*largest > n ? 3*sqrt((ceil(lg(p)) - 1)*n*beta/alpha) : 1",
                  "max(n*beta/(2.6*alpha), 4*(ceil(lg(p)) - 1))"},
};

}  // namespace tutti::catalog::reduce_scatter
