#include <array>

#include "algorithms/pipeline.hpp"

namespace tutti::pipeline {

namespace {

using phase::Received;

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

}  // namespace

void reduce(const Pipeline& pipeline, const Slice& own, const Slice& result, ScheduleBuilder& out) {
  out.pace(Pace::in_turn);
  const Pipeline mirrored = pipeline.backwards();
  std::vector<Accumulator> sums;
  for (const Stream& stream : mirrored.streams) {
    sums.emplace_back(mirrored, stream, own, result, out);
  }
  for (int t = 0; t < mirrored.rounds; ++t) {
    Round round = out.round();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      if (!stream.parent) continue;
      if (const auto k = stream.passing(*stream.parent, t)) {
        round.send(sums[i].value(*k), stream.parent->peer);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Stream& stream = mirrored.streams[i];
      for (const Hop& child : stream.children) {
        if (const auto k = stream.passing(child, t)) sums[i].receive(round, child, *k);
      }
    }
  }
  for (Accumulator& each : sums) each.settle();
}

}  // namespace tutti::pipeline
