// Dual-root doubly pipelined allreduce (Traeff, arXiv 2109.12626; shared/ALGORITHMS.md, section 7).
//
// Each half of the ranks is a tree. Segments of sums go up both; the two roots exchange them, and
// the results go down while the next sums come up: every message is half of an exchange. A segment
// takes three rounds, one with each neighbour. Subtrees are intervals, so operand order is kept.
#include "algorithms/registry.hpp"
#include "algorithms/segment_sums.hpp"
#include "topology/post_order_tree.hpp"

namespace tutti::catalog::allreduce {

namespace {

using phase::Received;

// A rank's segments: each is its own operand, then a sum, then the result.
class Segments {
 public:
  Segments(const Call& call, Rank me, ScheduleBuilder& out)
      : cut_(call.n(), call.parameter),
        result_(call.output(me)),
        sums_(all_of(call.input(me), call.parameter), cut_.size(0), out) {}

  bool exists(int j) const { return j >= 0 && j < sums_.count(); }
  Slice result(int j) const { return segment(result_, j); }
  const Slice& value(int j) { return sums_.value(j); }
  void receive(Round& round, Rank peer, Received side, int j) {
    sums_.receive(round, peer, side, j, sums_.spare(turn_++ % landings, j), result(j));
  }
  void settle() { sums_.combine(); }

 private:
  static constexpr std::size_t landings = 3;  // one to combine, one that arrives, one that is next

  Slice segment(const Slice& whole, int j) const {
    return part(whole, cut_.offset(j), cut_.size(j));
  }
  Slices all_of(const Slice& whole, int count) const {
    Slices segments;
    for (int j = 0; j < count; ++j) segments.push_back(segment(whole, j));
    return segments;
  }

  Layout cut_;
  Slice result_;
  phase::SegmentSums sums_;
  std::size_t turn_ = 0;
};

}  // namespace

// The j-th exchange with a child: its next sum for the latest result, which is where the sum was.
static void with_child(Round& round, Rank child, int j, int depth, Segments& segments) {
  const int down = j - depth - 1;
  if (segments.exists(down)) round.send(segments.value(down), child);
  if (segments.exists(j)) segments.receive(round, child, Received::left, j);
}

static void with_above(Round& round, const PostOrderPlace& place, int j, Segments& segments) {
  if (segments.exists(j)) round.send(segments.value(j), place.above);
  const int down = j - place.depth;
  if (segments.exists(down)) round.recv(segments.result(down), place.above);
}

static void with_other_root(Round& round, Rank me, Rank other, int j, Segments& segments) {
  if (!segments.exists(j)) return;
  round.send(segments.value(j), other);
  segments.receive(round, other, other < me ? Received::left : Received::right, j);
}

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  if (call.p == 1) return out.copy(call.input(me), call.output(me));
  out.pace(Pace::in_turn);
  const PostOrderPlace place = post_order_place(call.p, me);
  const int period = post_order_period(call.p), depth = post_order_depth(call.p);
  const int filled = std::max(period - 1, 1) * depth;  // rounds until the roots exchange
  const int rounds = period * (call.parameter - 1) + 1 + 2 * filled;
  Segments segments(call, me, out);
  const int start = filled - place.lead;  // of the exchanges with the rank above
  for (int t = 0; t < rounds; ++t) {
    Round round = out.round();
    const auto falls_now = [&](int first) { return t >= first && (t - first) % period == 0; };
    if (place.first >= 0 && falls_now(start - period + 1)) {
      with_child(round, place.first, (t - start + period - 1) / period, place.depth, segments);
    }
    if (place.second >= 0 && falls_now(start - 1)) {
      with_child(round, place.second, (t - start + 1) / period, place.depth, segments);
    }
    if (!falls_now(start)) continue;
    const int j = (t - start) / period;
    if (place.is_root()) {
      with_other_root(round, me, place.above, j, segments);
    } else {
      with_above(round, place, j, segments);
    }
  }
  segments.settle();
}

constexpr Algorithm dual_root{
    .collective = Collective::allreduce,
    .name = "dual_root",
    .summary = "segments go up and down two trees at once, whose roots exchange them",
    .source = "Traeff, arXiv 2109.12626",
    .rounds = "p == 2 ? segments : p < 5 ? 2*segments + 1 : 3*segments + 4*floor(lg(p+1)) - 6",
    // 1.2 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "p == 2 ? segments*(alpha + ceil(n/segments)*beta) + ceil(n/segments)*gamma"
        " : 1.2*(p < 5 ? 2*segments + 1 : 3*segments + 4*floor(lg(p+1)) - 6)*(alpha + "
        "ceil(n/segments)*beta) + (2*segments + max(floor(lg(p+1)) - 3, 0))*ceil(n/segments)*gamma",
    .within = 1.4,
    .write = write,
    .parameter = {Open::segments,
                  "sqrt((p == 2 ? gamma : (p < 5 ? 1/2 : (4*floor(lg(p+1)) - 6)/3)*beta)*n/alpha)"},
};

}  // namespace tutti::catalog::allreduce
