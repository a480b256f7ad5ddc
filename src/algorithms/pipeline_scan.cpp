#include <array>

#include "algorithms/pipeline.hpp"

namespace tutti::pipeline {

namespace {

using phase::Received;

// A rank's prefix sums of one stream's segments. In the output, where nothing else is put, grows
// what goes before the rank and, in a scan, the rank's own operand with it.
class Prefixes {
 public:
  Prefixes(const Pipeline& pipeline, const Stream& stream, const Call& call, Rank me,
           const Slice& own, ScheduleBuilder& out)
      : pipeline_(pipeline),
        stream_(stream),
        inclusive_(call.collective == Collective::scan),
        own_(own),
        result_(call.output(me)),
        commutative_(call.commutative),
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
  const Pipeline mirrored = pipeline.backwards();
  for (int t = 0; t < mirrored.rounds; ++t) {
    Round round = out.round();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      if (!stream.passes_up) continue;
      if (const auto k = stream.passing(*stream.parent, t)) {
        round.send(sums[i].subtree(*k), stream.parent->peer);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      for (const Hop& child : stream.children) {
        const bool wanted = child.side == Received::left || stream.passes_up;
        const auto k = stream.passing(child, t);
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
        const auto k = stream.passing(child, t);
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
      if (const auto k = stream.passing(*stream.parent, t)) {
        sums[i].receive_prefix(round, stream.parent->peer, *k);
      }
    }
  }
}

}  // namespace

void prefix_sums(const Pipeline& pipeline, const Call& call, Rank me, ScheduleBuilder& out) {
  Slice own = call.input(me);
  // The last rank's operand belongs to no exclusive prefix.
  if (call.collective == Collective::exscan && me > 0 && me + 1 < call.p) {
    const Slice own_copy = out.apart(own, {call.output(me)});
    out.copy(own, own_copy);
    own = own_copy;
  }
  out.pace(Pace::in_turn);
  std::vector<Prefixes> sums;
  sums.reserve(pipeline.streams.size());
  for (const Stream& stream : pipeline.streams) {
    sums.emplace_back(pipeline, stream, call, me, own, out);
  }
  if (pipeline.sums_go_up) send_sums_up(pipeline, sums, out);
  send_prefixes_down(pipeline, sums, out);
  for (Prefixes& each : sums) each.settle();
}

}  // namespace tutti::pipeline
