#include "schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tutti {

Units size_of(const Slices& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), Units{0},
                         [](Units sum, const Slice& piece) { return sum + piece.size; });
}

std::optional<Slice> as_one(const Slices& pieces) {
  Slice whole;
  for (const Slice& piece : pieces) {
    if (piece.size == 0) continue;
    if (whole.size == 0) {
      whole = piece;
    } else if (piece.buffer == whole.buffer && piece.offset == whole.end()) {
      whole.size += piece.size;
    } else {
      return std::nullopt;
    }
  }
  return whole;
}

// The first of them: those that are in the order of their offsets.
static Places run_of(Places places) {
  const auto comes_before = [&](const Slice& a, const Slice& b) {
    return a.buffer == b.buffer && a.end() <= b.offset;
  };
  const auto last = std::ranges::adjacent_find(places, std::not_fn(comes_before));
  return last == places.end() ? places : Places(places.begin(), last + 1);
}

static bool overlap_in_order(Places some, Places others) {
  for (auto a = some.begin(), b = others.begin(); a != some.end() && b != others.end();) {
    if (overlap(*a, *b)) return true;
    a->end() < b->end() ? ++a : ++b;
  }
  return false;
}

bool overlap_of_many(Places some, Places others) {
  if (some.size() == 1 || others.size() == 1) {
    return std::ranges::any_of(some, [&](const Slice& a) {
      return std::ranges::any_of(others, [&](const Slice& b) { return overlap(a, b); });
    });
  }
  for (Places run; !some.empty(); some = some.subspan(run.size())) {
    run = run_of(some);
    Places run_of_others;
    for (Places rest = others; !rest.empty(); rest = rest.subspan(run_of_others.size())) {
      run_of_others = run_of(rest);
      if (overlap_in_order(run, run_of_others)) return true;
    }
  }
  return false;
}

void put_in_order(std::span<Slice> places) {
  const auto place = [](const Slice& each) { return std::pair(each.buffer, each.offset); };
  if (!std::ranges::is_sorted(places, {}, place)) std::ranges::sort(places, {}, place);
}

bool overlap_ordered(Places some, Places ordered) {
  const auto end = [](const Slice& each) { return std::pair(each.buffer, each.end()); };
  return std::ranges::any_of(some, [&](const Slice& one) {
    const auto after =
        std::ranges::upper_bound(ordered, std::pair(one.buffer, one.offset), {}, end);
    return after != ordered.end() && overlap(*after, one);
  });
}

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::send:
      return "send";
    case Kind::recv:
      return "recv";
    case Kind::recv_reduce:
      return "recv_reduce";
    case Kind::reduce:
      return "reduce";
    case Kind::copy:
      return "copy";
  }
  return "?";
}

const char* to_string(Buffer buffer) {
  switch (buffer) {
    case Buffer::in:
      return "in";
    case Buffer::out:
      return "out";
    case Buffer::scratch:
      return "scratch";
    case Buffer::message:
      return "message";
  }
  return "?";
}

void assign_slots(Schedule& schedule) {
  std::vector<std::vector<int>> free_of(static_cast<std::size_t>(schedule.strands));
  for (Step& step : schedule.steps) {
    std::vector<int>& free = free_of[step.strand];
    for (std::uint32_t w = 0; w < step.wait_count; ++w) {
      free.push_back(schedule.steps[schedule.waits[step.waits + w]].slot);
    }
    if (!step.is_message()) continue;
    if (free.empty()) free.push_back(schedule.slots++);
    step.slot = free.back();
    if (step.kind != Kind::recv_reduce) free.pop_back();
  }
}

std::size_t Schedule::bytes() const {
  return steps.size() * sizeof(Step) + slices.size() * sizeof(Slice) +
         (waits.size() + last_waits.size()) * sizeof(std::uint32_t);
}

Units Schedule::size_of(const Step& step) const {
  if (step.computes()) return slices[step.slices].size;
  Units sum = 0;
  for (std::uint32_t i = 0; i < step.pieces; ++i) sum += slices[step.slices + i].size;
  return sum;
}

static std::string to_string(const Slice& slice) {
  return fmt::format("{}[{}, {})", to_string(slice.buffer), slice.offset, slice.end());
}

static std::string describe(const Schedule& schedule, const Step& step) {
  const Slice* at = schedule.slices_of(step);
  if (step.kind == Kind::copy) return fmt::format("{} -> {}", to_string(at[0]), to_string(at[1]));
  if (step.reduces()) {
    const std::string from = step.is_message() ? fmt::format(" from {}", step.peer) : std::string();
    return fmt::format("{} op {} -> {}{}", to_string(at[0]), to_string(at[1]), to_string(at[2]),
                       from);
  }
  std::string text;
  for (std::uint32_t i = 0; i < step.pieces; ++i) text += (i ? " + " : "") + to_string(at[i]);
  return fmt::format("{} {} {}", text, step.kind == Kind::send ? "to" : "from", step.peer);
}

std::string to_string(const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    text += fmt::format("{:4}  round {:3}  {:11} {}", i, step.round, to_string(step.kind),
                        describe(schedule, step));
    for (std::uint32_t w = 0; w < step.wait_count; ++w) {
      text += fmt::format("{}{}", w ? ", " : "  after ", schedule.waits[step.waits + w]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tutti
