#include "algorithms/pipeline.hpp"

#include <algorithm>
#include <array>

#include "topology/binomial.hpp"

namespace tutti::pipeline {

namespace {

using phase::Received;

// Segments of which a rank keeps operands: one that is sent, one that is combined, one that comes.
constexpr int kept = 4;

// The number, within its stream, of the segment that passes in a round.
std::optional<int> passing(const Stream& stream, const Hop& hop, int round) {
  const int since = round - hop.first;
  if (since < 0 || since % stream.period != 0) return std::nullopt;
  const int k = since / stream.period;
  return k < stream.count ? std::optional(k) : std::nullopt;
}

Layout cut(const Call& call) { return Layout(call.n(), call.parameter); }

// The same hops the other way: what was last is first.
Pipeline backwards(const Pipeline& pipeline) {
  Pipeline result = pipeline;
  for (Stream& stream : result.streams) {
    const int span = stream.period * (stream.count - 1);
    const auto turn = [&](Hop& hop) { hop.first = result.rounds - 1 - hop.first - span; };
    if (stream.parent) turn(*stream.parent);
    std::ranges::for_each(stream.children, turn);
  }
  return result;
}

// What a rank accumulates of a stream's segments: each is its own until something is combined
// with it.
class Accumulator {
 public:
  Accumulator(const Pipeline& pipeline, const Stream& stream, const Slice& own, const Slice& result,
              ScheduleBuilder& out)
      : pipeline_(pipeline), stream_(stream), result_(result), out_(out) {
    for (int k = 0; k < stream.count; ++k) {
      values_.push_back(pipeline.segment_of(own, stream.segment(k)));
    }
  }

  // Complete, if all of the children's have been received.
  const Slice& value(int k) {
    if (last_ && last_->k == k) combine();
    return current(k);
  }

  // What is received is combined with the value one round later, or when the value is needed: the
  // next messages are then under way.
  void receive(Round& round, const Hop& child, int k) {
    const Slice target = target_of(k);
    const bool lands_in_target = target.size > 0 && target != current(k);
    const Slice landing = lands_in_target ? target : slot(child, k, current(k).size);
    round.recv(landing, child.peer);
    combine();
    last_ = {k, child.side, landing};
  }

  // Where nothing was received, the sum is the rank's own operand.
  void settle() {
    combine();
    for (int k = 0; !stream_.parent && k < stream_.count; ++k) out_.copy(current(k), target_of(k));
  }

 private:
  struct Arrival {
    int k;
    Received side;
    Slice landing;
  };

  Slice& current(int k) { return values_[static_cast<std::size_t>(k)]; }

  void combine() {
    if (!last_) return;
    const auto [k, side, landing] = *last_;
    last_.reset();
    Slice& value = current(k);
    const Slice target = target_of(k);
    if (side == Received::right) {
      const Slice into = target.size > 0 ? target : landing;
      out_.reduce(value, landing, into);
      value = into;
    } else {
      const Slice into = value.buffer == Buffer::scratch ? value : landing;
      out_.reduce(landing, value, into);
      value = into;
    }
  }

  // Where the sum has to be; empty if it only passes through.
  Slice target_of(int k) const {
    if (stream_.parent) return {};
    return pipeline_.segment_of(result_, stream_.segment(k));
  }

  Slice slot(const Hop& child, int k, Units size) {
    Slice& region =
        slots_[static_cast<std::size_t>(child.side)][static_cast<std::size_t>(k % kept)];
    if (region.size == 0) region = out_.scratch(pipeline_.segments.size(0));
    return part(region, 0, size);
  }

  const Pipeline& pipeline_;
  const Stream& stream_;
  Slice result_;
  ScheduleBuilder& out_;
  std::vector<Slice> values_;
  std::optional<Arrival> last_;
  std::array<std::array<Slice, kept>, 2> slots_{};
};

// A stream of the tree in which `node` has its place; node 0 is outside.
template <class FirstRound>
Stream stream_of(int node, int above, const std::array<int, 2>& below, const FirstRound& first) {
  Stream stream;
  if (node > 0) stream.parent = Hop{.peer = above, .first = first(node)};
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (below[i] == 0) continue;
    stream.children.push_back(
        {below[i], first(below[i]), i == 0 ? Received::left : Received::right});
  }
  return stream;
}

// A rank serves its left child first.
int first_round(const InorderTree& tree, int node) {
  int round = 0;
  for (int above = tree.parent(node); above != 0; above = tree.parent(node)) {
    round += node < above ? 1 : 2;
    node = above;
  }
  return round;
}

// One of two trees that share the segments.
void take_turns(Stream& stream, int tree, int segments) {
  stream.period = 2;
  stream.base = tree;
  stream.stride = 2;
  stream.count = (segments + 1 - tree) / 2;
}

}  // namespace

Pipeline chain(const Call& call, Rank me) {
  Stream stream{.count = call.parameter};
  if (me > 0) stream.parent = Hop{.peer = me - 1, .first = me - 1};
  if (me + 1 < call.p) stream.children.push_back({.peer = me + 1, .first = me});
  return {{stream}, call.p > 1 ? call.parameter + call.p - 2 : 0, cut(call)};
}

Pipeline binary_tree(const Call& call, Rank me) {
  if (call.p < 4) return chain(call, me);
  const InorderTree tree{call.p - 1};
  const auto first = [&](int node) { return first_round(tree, node); };
  const std::array<int, 2> below =
      me == 0 ? std::array{0, tree.root()} : std::array{tree.left(me), tree.right(me)};
  Stream stream = stream_of(me, me == 0 ? 0 : tree.parent(me), below, first);
  stream.period = 2;
  stream.count = call.parameter;
  return {{stream}, 2 * (call.parameter + floor_lg(call.p - 1)) - 1, cut(call)};
}

Pipeline two_tree(const Call& call, Rank me, Order order) {
  if (call.p < 4) return chain(call, me);
  const TwoTree trees(call.p - 1, order);
  Pipeline result{{}, call.parameter + 2 * ceil_lg(call.p) - 2, cut(call)};
  if (order == Order::kept) ++result.rounds;
  for (int tree = 0; tree < 2; ++tree) {
    const auto first = [&](int node) { return trees.first_round(tree, node); };
    const std::array<int, 2> below =
        me == 0 ? std::array{0, trees.root(tree)} : trees.children(tree, me);
    Stream stream = stream_of(me, me == 0 ? 0 : trees.parent(tree, me), below, first);
    take_turns(stream, tree, call.parameter);
    result.streams.push_back(stream);
  }
  return result;
}

namespace {

// Ranks 0 .. p-1 are nodes 1 .. p.
void number_by_rank(Stream& stream) {
  if (stream.parent) --stream.parent->peer;
  for (Hop& child : stream.children) --child.peer;
}

// A node of a tree in order, in the tree given by parent(node).
template <class Parent, class FirstRound>
Stream ordered_stream(int node, const std::array<int, 2>& below, const Parent& parent,
                      const FirstRound& first) {
  Stream stream = stream_of(node, parent(node), below, first);
  if (parent(node) == 0) stream.parent.reset();
  for (int at = node, above = parent(at); above != 0; at = above, above = parent(at)) {
    (at < above ? stream.passes_up : stream.has_prefix) = true;
  }
  number_by_rank(stream);
  return stream;
}

}  // namespace

Pipeline ordered_chain(const Call& call, Rank me) {
  Pipeline result = chain(call, me);
  for (Stream& stream : result.streams) stream.has_prefix = me > 0;
  return result;
}

Pipeline ordered_binary_tree(const Call& call, Rank me) {
  if (call.p < 4) return ordered_chain(call, me);
  const InorderTree tree{call.p};
  const auto parent = [&](int node) { return tree.parent(node); };
  const auto first = [&](int node) { return first_round(tree, node); };
  Stream stream = ordered_stream(me + 1, {tree.left(me + 1), tree.right(me + 1)}, parent, first);
  stream.period = 2;
  stream.count = call.parameter;
  return {{stream}, 2 * (call.parameter + floor_lg(call.p)) - 1, cut(call), true};
}

Pipeline ordered_two_tree(const Call& call, Rank me) {
  if (call.p < 4) return ordered_chain(call, me);
  const TwoTree trees(call.p, Order::kept);
  Pipeline result{{}, call.parameter + 2 * ceil_lg(call.p + 1) - 1, cut(call), true};
  for (int tree = 0; tree < 2; ++tree) {
    const auto parent = [&](int node) { return trees.parent(tree, node); };
    const auto first = [&](int node) { return trees.first_round(tree, node); };
    Stream stream = ordered_stream(me + 1, trees.children(tree, me + 1), parent, first);
    take_turns(stream, tree, call.parameter);
    result.streams.push_back(stream);
  }
  return result;
}

void bcast(const Pipeline& pipeline, const Slice& message, ScheduleBuilder& out) {
  for (int t = 0; t < pipeline.rounds; ++t) {
    Round round = out.round();
    for (const Stream& stream : pipeline.streams) {
      const auto segment = [&](int k) { return pipeline.segment_of(message, stream.segment(k)); };
      for (const Hop& child : stream.children) {
        if (const auto k = passing(stream, child, t)) round.send(segment(*k), child.peer);
      }
      if (!stream.parent) continue;
      if (const auto k = passing(stream, *stream.parent, t)) {
        round.recv(segment(*k), stream.parent->peer);
      }
    }
  }
}

void reduce(const Pipeline& pipeline, const Slice& own, const Slice& result, ScheduleBuilder& out) {
  const Pipeline mirrored = backwards(pipeline);
  std::vector<Accumulator> sums;
  for (const Stream& stream : mirrored.streams) {
    sums.emplace_back(mirrored, stream, own, result, out);
  }
  for (int t = 0; t < mirrored.rounds; ++t) {
    Round round = out.round();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      if (!stream.parent) continue;
      if (const auto k = passing(stream, *stream.parent, t)) {
        round.send(sums[i].value(*k), stream.parent->peer);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      for (const Hop& child : stream.children) {
        if (const auto k = passing(stream, child, t)) sums[i].receive(round, child, *k);
      }
    }
  }
  for (Accumulator& each : sums) each.settle();
}

namespace {

// A rank's prefix sums of one stream's segments. In the output, where nothing else is put, grows
// what goes before the rank and, in a scan, the rank's own operand with it.
class Prefixes {
 public:
  enum class Kind : std::uint8_t { inclusive, exclusive };

  Prefixes(const Pipeline& pipeline, const Stream& stream, Kind kind, const Slice& own,
           const Slice& result, bool commutative, ScheduleBuilder& out)
      : pipeline_(pipeline),
        stream_(stream),
        inclusive_(kind == Kind::inclusive),
        own_(own),
        result_(result),
        commutative_(commutative),
        out_(out),
        sums_(static_cast<std::size_t>(stream.count)) {}

  // The sum of the left subtree, or of the right one.
  void receive_sum(Round& round, const Hop& child, int k) {
    Sum& sum = sums_[static_cast<std::size_t>(k)];
    if (child.side == Received::left) {
      receive_before(round, child.peer, k);
    } else {
      sum.behind = slot(right, k);
      round.recv(sum.behind, child.peer);
    }
    const bool complete = ++sum.received == static_cast<int>(stream_.children.size());
    if (complete && stream_.passes_up) sum.total = total(k);
  }

  // What goes up: the sum of the whole subtree.
  Slice subtree(int k) {
    const Slice& total = sums_[static_cast<std::size_t>(k)].total;
    return total.size > 0 ? total : own(k);
  }

  // What goes before this rank's subtree; the left child gets it too.
  void receive_prefix(Round& round, Rank parent, int k) {
    Sum& sum = sums_[static_cast<std::size_t>(k)];
    if (!has_before(k)) {
      receive_before(round, parent, k);
      sum.prefix = result(k);
      return;
    }
    sum.prefix = slot(down, k);
    round.recv(sum.prefix, parent);
    out_.reduce(sum.prefix, result(k), result(k));
  }
  const Slice& prefix(int k) const { return sums_[static_cast<std::size_t>(k)].prefix; }

  // What goes before the right child's subtree.
  Slice inclusive(int k) {
    if (!has_before(k)) return own(k);
    if (inclusive_) return result(k);
    const Slice sum = slot(down_right, k);
    out_.reduce(result(k), own(k), sum);
    return sum;
  }

  // With nothing before it a scan's result is the rank's own operand.
  void settle() {
    for (int k = 0; inclusive_ && k < stream_.count; ++k) {
      if (!has_before(k)) out_.copy(own(k), result(k));
    }
  }

 private:
  enum Use : std::uint8_t { left, right, up, down, down_right, uses };
  struct Sum {
    bool has_before = false;  // the output holds something
    int received = 0;
    Slice behind{};
    Slice total{};
    Slice prefix{};
  };

  Slice own(int k) const { return pipeline_.segment_of(own_, stream_.segment(k)); }
  Slice result(int k) const { return pipeline_.segment_of(result_, stream_.segment(k)); }
  bool has_before(int k) const { return sums_[static_cast<std::size_t>(k)].has_before; }

  Slice slot(Use use, int k) {
    Slice& region = slots_[use][static_cast<std::size_t>(k % kept)];
    if (region.size == 0) region = out_.scratch(pipeline_.segments.size(0));
    return part(region, 0, result(k).size);
  }

  // The first thing that goes before this rank's operand.
  void receive_before(Round& round, Rank peer, int k) {
    sums_[static_cast<std::size_t>(k)].has_before = true;
    const bool through_slot = inclusive_ && (own(k) == result(k) || !commutative_);
    const Slice landing = through_slot ? slot(left, k) : result(k);
    round.recv(landing, peer);
    if (inclusive_) out_.reduce(landing, own(k), result(k));
  }

  Slice total(int k) {
    const Sum& sum = sums_[static_cast<std::size_t>(k)];
    const bool has_behind = sum.behind.size > 0;
    if (inclusive_ || !sum.has_before) {
      const Slice mine = sum.has_before ? result(k) : own(k);
      if (has_behind) out_.reduce(mine, sum.behind, sum.behind);
      return has_behind ? sum.behind : mine;
    }
    if (has_behind) out_.reduce(own(k), sum.behind, sum.behind);
    const Slice into = has_behind ? sum.behind : slot(up, k);
    out_.reduce(result(k), has_behind ? sum.behind : own(k), into);
    return into;
  }

  const Pipeline& pipeline_;
  const Stream& stream_;
  bool inclusive_;
  Slice own_, result_;
  bool commutative_;
  ScheduleBuilder& out_;
  std::vector<Sum> sums_;
  std::array<std::array<Slice, kept>, uses> slots_{};
};

void send_sums_up(const Pipeline& pipeline, std::vector<Prefixes>& sums, ScheduleBuilder& out) {
  const Pipeline mirrored = backwards(pipeline);
  for (int t = 0; t < mirrored.rounds; ++t) {
    Round round = out.round();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      if (!stream.passes_up) continue;
      if (const auto k = passing(stream, *stream.parent, t)) {
        round.send(sums[i].subtree(*k), stream.parent->peer);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      for (const Hop& child : stream.children) {
        const bool wanted = child.side == Received::left || stream.passes_up;
        const auto k = passing(stream, child, t);
        if (wanted && k) sums[i].receive_sum(round, child, *k);
      }
    }
  }
}

void send_prefixes_down(const Pipeline& pipeline, std::vector<Prefixes>& sums,
                        ScheduleBuilder& out) {
  for (int t = 0; t < pipeline.rounds; ++t) {
    Round round = out.round();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = pipeline.streams[i];
      for (const Hop& child : stream.children) {
        const auto k = passing(stream, child, t);
        if (!k) continue;
        if (child.side == Received::right) {
          round.send(sums[i].inclusive(*k), child.peer);
        } else if (stream.has_prefix) {
          round.send(sums[i].prefix(*k), child.peer);
        }
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = pipeline.streams[i];
      if (!stream.has_prefix) continue;
      if (const auto k = passing(stream, *stream.parent, t)) {
        sums[i].receive_prefix(round, stream.parent->peer, *k);
      }
    }
  }
}

void prefix_sums(const Pipeline& pipeline, const Call& call, Rank me, Prefixes::Kind kind,
                 const Slice& own, ScheduleBuilder& out) {
  std::vector<Prefixes> sums;
  for (const Stream& stream : pipeline.streams) {
    sums.emplace_back(pipeline, stream, kind, own, call.output(me), call.commutative, out);
  }
  if (pipeline.sums_go_up) send_sums_up(pipeline, sums, out);
  send_prefixes_down(pipeline, sums, out);
  for (Prefixes& each : sums) each.settle();
}

}  // namespace

void scan(const Pipeline& pipeline, const Call& call, Rank me, ScheduleBuilder& out) {
  prefix_sums(pipeline, call, me, Prefixes::Kind::inclusive, call.input(me), out);
}

void exscan(const Pipeline& pipeline, const Call& call, Rank me, ScheduleBuilder& out) {
  Slice own = call.input(me);
  if (me > 0 && me + 1 < call.p) {  // the last rank's operand is nobody's
    const Slice own_copy = out.apart(own, {call.output(me)});
    out.copy(own, own_copy);
    own = own_copy;
  }
  prefix_sums(pipeline, call, me, Prefixes::Kind::exclusive, own, out);
}

}  // namespace tutti::pipeline
