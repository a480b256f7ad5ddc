#include "algorithms/pipeline.hpp"

#include <algorithm>
#include <array>

#include "topology/logarithm.hpp"

namespace tutti::pipeline {

std::optional<int> Stream::passing(const Hop& hop, int round) const {
  const int since = round - hop.first;
  if (since < 0 || since % period != 0) return std::nullopt;
  const int k = since / period;
  return k < count ? std::optional(k) : std::nullopt;
}

Pipeline Pipeline::backwards() const {
  Pipeline result = *this;
  for (Stream& stream : result.streams) {
    const int span = stream.period * (stream.count - 1);
    const auto turn = [&](Hop& hop) { hop.first = rounds - 1 - hop.first - span; };
    if (stream.parent) turn(*stream.parent);
    std::ranges::for_each(stream.children, turn);
  }
  return result;
}

namespace {

using phase::Received;

Layout cut(const Call& call) { return Layout(call.n(), call.parameter); }

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

void bcast(const Pipeline& pipeline, const Slice& message, ScheduleBuilder& out, Streams streams) {
  const bool are_strands = streams == Streams::strands && pipeline.streams.size() > 1;
  out.pace(are_strands ? Pace::all_at_once : Pace::in_turn);
  for (int t = 0; t < pipeline.rounds; ++t) {
    Round round = out.round();
    for (const Stream& stream : pipeline.streams) {
      if (are_strands) out.strand(static_cast<int>(&stream - pipeline.streams.data()));
      const auto segment = [&](int k) { return pipeline.segment_of(message, stream.segment(k)); };
      for (const Hop& child : stream.children) {
        if (const auto k = stream.passing(child, t)) round.send(segment(*k), child.peer);
      }
      if (!stream.parent) continue;
      if (const auto k = stream.passing(*stream.parent, t)) {
        round.recv(segment(*k), stream.parent->peer);
      }
    }
  }
}

}  // namespace tutti::pipeline
