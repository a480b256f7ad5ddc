#include "algorithms/pipeline.hpp"
#include "algorithms/segment_sums.hpp"
#include "algorithms/tree_phases.hpp"

namespace tutti::pipeline {

namespace {

using phase::Received;

// What a rank accumulates of a stream's segments.
class StreamSums {
 public:
  StreamSums(const Pipeline& pipeline, const Stream& stream, const Slice& own, const Slice& result,
             ScheduleBuilder& out)
      : pipeline_(pipeline),
        stream_(stream),
        result_(result),
        out_(out),
        sums_(segments_of(own), pipeline.segments.size(0), out) {}

  void send(Round& round, int t) {
    if (!stream_.parent) return;
    if (const auto k = stream_.passing(*stream_.parent, t)) {
      round.send(sums_.value(*k), stream_.parent->peer);
    }
  }

  void receive(Round& round, int t) {
    for (const Hop& child : stream_.children) {
      if (const auto k = stream_.passing(child, t)) receive(round, child, *k);
    }
  }

  // Where nothing was received, the sum is the rank's own operand.
  void settle() {
    sums_.combine();
    for (int k = 0; k < stream_.count; ++k) {
      if (const auto target = target_of(k)) out_.copy(sums_.current(k), *target);
    }
  }

 private:
  Slices segments_of(const Slice& whole) const {
    Slices segments;
    for (int k = 0; k < stream_.count; ++k) {
      segments.push_back(pipeline_.segment_of(whole, stream_.segment(k)));
    }
    return segments;
  }

  // Where the sum has to be; none if it only passes through.
  std::optional<Slice> target_of(int k) const {
    const Slice target = pipeline_.segment_of(result_, stream_.segment(k));
    if (stream_.parent || target.size == 0) return std::nullopt;
    return target;
  }

  void receive(Round& round, const Hop& child, int k) {
    const std::optional<Slice> target = target_of(k);
    const bool lands_in_target = target && *target != sums_.current(k);
    const auto number = static_cast<std::size_t>(child.side) * kept + k % kept;
    const Slice landing = lands_in_target ? *target : sums_.spare(number, k);
    sums_.receive(round, child.peer, child.side, k, landing,
                  child.side == Received::right ? target : std::nullopt);
  }

  const Pipeline& pipeline_;
  const Stream& stream_;
  Slice result_;
  ScheduleBuilder& out_;
  phase::SegmentSums sums_;
};

}  // namespace

void reduce(const Pipeline& pipeline, const Slice& own, const Slice& result, ScheduleBuilder& out) {
  out.pace(Pace::in_turn);
  const Pipeline mirrored = pipeline.backwards();
  std::vector<StreamSums> sums;
  sums.reserve(mirrored.streams.size());
  for (const Stream& stream : mirrored.streams) {
    sums.emplace_back(mirrored, stream, own, result, out);
  }
  for (int t = 0; t < mirrored.rounds; ++t) {
    Round round = out.round();
    for (StreamSums& each : sums) each.send(round, t);
    for (StreamSums& each : sums) each.receive(round, t);
  }
  for (StreamSums& each : sums) each.settle();
}

void reduce_to_root(const Pipeline& pipeline, const Call& call, Rank me, ScheduleBuilder& out) {
  Slice result{};
  if (me == 0) result = call.has_output(me) ? call.output(me) : out.scratch(call.n());
  reduce(pipeline, call.input(me), result, out);
  phase::pass_to_root(call, me, result, out);
}

}  // namespace tutti::pipeline
