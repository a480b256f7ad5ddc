#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "topology/logarithm.hpp"

namespace tutti {

namespace {

constexpr Units most_segments = 1 << 20;
constexpr Units segments_of_window = 1 << 10;          // a schedule has several steps for each
constexpr Units most_bytes_reduced = Units{32} << 20;  // in a window
constexpr int every_radix = 24;                        // up to here

Units quotient_up(Units a, Units b) { return (a + b - 1) / b; }

// Whether the message may be cut anywhere, and its slices served one by one.
bool can_be_cut(const Call& call) {
  return !info(call.collective).owns_blocks && !call.whole_operands &&
         call.collective != Collective::barrier;
}

// Of a message that is cut. Reductions need scratch, some as much as the whole message.
Units units_of_window(const Algorithm& algorithm, const Call& call) {
  Units units = call.n();
  if (algorithm.parameter.open == Open::segments && call.parameter > segments_of_window) {
    units = quotient_up(units, quotient_up(call.parameter, segments_of_window));
  }
  if (!info(call.collective).reduces) return units;
  return std::min(units, std::max<Units>(most_bytes_reduced / call.unit_bytes, 1));
}

// So many units of the call's message, in segments of the same size.
Call slice_of(const Call& call, Units units, Open open) {
  Call slice = call;
  slice.layout = Layout(units, call.p);
  if (open == Open::segments) {
    slice.parameter = static_cast<int>(quotient_up(call.parameter * units, call.n()));
  }
  return slice;
}

std::vector<int> sorted_from(int least, std::vector<int> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::erase_if(values, [&](int value) { return value < least; });
  return values;
}

// One, few, and as many as the pipeline has rounds to fill, and more.
std::vector<int> some_segments(int p) {
  const int q = ceil_lg(p);
  return sorted_from(1, {1, 2, 3, q, 2 * q, 2 * q + 3});
}

std::vector<int> some_radices(int p) {
  int root = 2;
  while (root * root < p) ++root;
  std::vector<int> values{2, 3, root, root + 1, p / 2, p - 1, std::max(p, 2)};
  for (int radix = 2; p <= every_radix && radix <= p; ++radix) values.push_back(radix);
  return sorted_from(2, values);
}

std::vector<int> some_windows(int p) {
  return sorted_from(1, {1, 2, 4, p / 2, std::max(p - 1, 1)});
}

}  // namespace

std::string_view to_string(Open open) {
  switch (open) {
    case Open::nothing:
      return "";
    case Open::segments:
      return "segments";
    case Open::radix:
      return "radix";
    case Open::window:
      return "window";
  }
  return "";
}

int least(Open open) { return open == Open::nothing ? 0 : open == Open::radix ? 2 : 1; }

int most(Open open, const Call& call) {
  const Units segments = call.whole_operands                 ? 1
                         : info(call.collective).owns_blocks ? segments_of_window
                                                             : most_segments;
  const Units bound = open == Open::segments ? std::min(call.n(), segments)
                      : open == Open::radix  ? Units{call.p}
                      : open == Open::window ? Units{call.p} - 1
                                             : 0;
  return static_cast<int>(std::max<Units>(bound, least(open)));
}

std::vector<int> worth_trying(Open open, int p) {
  switch (open) {
    case Open::nothing:
      return {0};
    case Open::segments:
      return some_segments(p);
    case Open::radix:
      return some_radices(p);
    case Open::window:
      return some_windows(p);
  }
  return {0};
}

Windows windows(const Algorithm& algorithm, const Call& call) {
  if (!can_be_cut(call)) return {call};
  const Units units = units_of_window(algorithm, call);
  if (units >= call.n()) return {call};
  const Units left = call.n() % units;
  const Open open = algorithm.parameter.open;
  return {slice_of(call, units, open), call.n() / units,
          left > 0 ? std::optional(slice_of(call, left, open)) : std::nullopt};
}

}  // namespace tutti
