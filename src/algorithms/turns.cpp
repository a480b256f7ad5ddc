#include "algorithms/turns.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::phase {

static void write_by_turns(const Call& call, Rank me, int parts, Write write,
                           ScheduleBuilder::Start start, ScheduleBuilder& out) {
  const bool segmented = call.parameter > 0;
  const int pieces = segmented ? call.parameter : parts;
  const int count = std::min(parts, pieces);
  if (count == 1) return write(call, me, out);
  const Layout piece(call.n(), pieces), share(pieces, count);
  std::vector<ScheduleBuilder::Part> written;
  for (int i = 0; i < count; ++i) {
    const Units begin = piece.offset(static_cast<int>(share.offset(i)));
    const Units end = piece.offset(static_cast<int>(share.offset(i + 1)));
    Call part = call;
    part.layout = Layout(end - begin, call.p);
    part.parameter = segmented ? static_cast<int>(share.size(i)) : 0;
    written.push_back({out.fresh(), begin});
    write(part, me, written.back().written);
  }
  out.pace(Pace::in_turn, count);
  out.by_turns(written, start);
}

void by_turns(const Call& call, Rank me, int parts, Write write, ScheduleBuilder& out) {
  write_by_turns(call, me, parts, write, ScheduleBuilder::Start::together, out);
}

int parts_of(int segments) {
  return std::clamp(static_cast<int>(std::floor(std::cbrt(segments) + 0.5)), 1, 6);
}

void pipelines_by_turns(const Call& call, Rank me, Write write, ScheduleBuilder& out) {
  by_turns(call, me, parts_of(call.parameter), write, out);
}

void pipelines_apart(const Call& call, Rank me, Write write, ScheduleBuilder& out) {
  Call even = call;
  if (call.parameter > 1) even.parameter += call.parameter % 2;
  write_by_turns(even, me, 2, write, ScheduleBuilder::Start::apart, out);
}

}  // namespace tutti::phase
