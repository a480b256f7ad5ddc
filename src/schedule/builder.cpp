#include "schedule/builder.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace tutti {

namespace {

// Appends `places` without empty ones, and neighbours in the same buffer as one.
void append_joined(Places places, Slices& list) {
  const std::size_t first = list.size();
  for (const Slice& place : places) {
    if (place.size == 0) continue;
    if (list.size() > first && list.back().buffer == place.buffer &&
        list.back().end() == place.offset) {
      list.back().size += place.size;
    } else {
      list.push_back(place);
    }
  }
}

Slices joined(Slices places) {
  Slices result;
  append_joined(places, result);
  return result;
}

Slices without_empty(Slices pieces) {
  std::erase_if(pieces, [](const Slice& piece) { return piece.size == 0; });
  return pieces;
}

int wrap(int value, int p) { return ((value % p) + p) % p; }

// Calls visit(parts) for the longest runs that are contiguous in all of `lists`, in order.
template <std::size_t N, class Visit>
void for_common_pieces(const std::array<Slices, N>& lists, Visit visit) {
  std::array<std::size_t, N> at{};
  std::array<Units, N> done{};
  while (at[0] < lists[0].size()) {
    Units run = lists[0][at[0]].size - done[0];
    for (std::size_t i = 1; i < N; ++i) run = std::min(run, lists[i][at[i]].size - done[i]);
    std::array<Slice, N> parts;
    for (std::size_t i = 0; i < N; ++i) {
      parts[i] = part(lists[i][at[i]], done[i], run);
      done[i] += run;
      if (done[i] == lists[i][at[i]].size) {
        ++at[i];
        done[i] = 0;
      }
    }
    visit(parts);
  }
}

}  // namespace

void Round::message(Kind kind, Places pieces, Rank peer) {
  const auto has_data = [](const Slice& piece) { return piece.size > 0; };
  if (std::ranges::any_of(pieces, has_data)) builder_.message(kind, number_, pieces, peer);
}
void Round::signal(Rank peer) { builder_.message(Kind::send, number_, {}, peer); }
void Round::await(Rank peer) { builder_.message(Kind::recv, number_, {}, peer); }

ScheduleBuilder::ScheduleBuilder(int p, Rank me, Rank origin)
    : p_(p), me_(me), origin_(origin), sent_(p), received_(p) {}

Slice ScheduleBuilder::scratch(Units size) {
  Slice region{Buffer::scratch, scratch_, size};
  scratch_ += size;
  return region;
}

Slice ScheduleBuilder::blank(Units size) {
  blank_.push_back(scratch(size));
  return blank_.back();
}

Slice ScheduleBuilder::apart(const Slice& wanted, const Slices& others) {
  const bool shares = std::any_of(others.begin(), others.end(),
                                  [&](const Slice& other) { return overlap(wanted, other); });
  return shares ? scratch(wanted.size) : wanted;
}

void ScheduleBuilder::message(Kind kind, int round, Places pieces, Rank peer) {
  const Rank target = wrap(peer, p_);
  assert(target != me_ && "a rank does not send to itself: use copy");
  int& count = (kind == Kind::send ? sent_ : received_)[target];
  append({.kind = kind, .peer = wrap(target + origin_, p_), .tag = count++, .round = round},
         pieces);
}

void ScheduleBuilder::append_local(Kind kind, Places operands) {
  append({.kind = kind, .round = rounds_ - 1}, operands);
}

void ScheduleBuilder::copy(const Slice& from, const Slice& to) {
  assert(from.size == to.size);
  if (from.size > 0 && from != to) append_local(Kind::copy, std::array{from, to});
}
void ScheduleBuilder::copy(const Slices& from, const Slices& to) {
  assert(size_of(from) == size_of(to));
  for_common_pieces(std::array{joined(from), joined(to)},
                    [&](const auto& parts) { copy(parts[0], parts[1]); });
}

void ScheduleBuilder::reduce(const Slice& left, const Slice& right, const Slice& into) {
  assert(left.size == into.size && right.size == into.size);
  if (into.size > 0) append_local(Kind::reduce, std::array{left, right, into});
}
void ScheduleBuilder::reduce(const Slices& left, const Slices& right, const Slices& into) {
  assert(size_of(left) == size_of(into) && size_of(right) == size_of(into));
  const auto places = joins_ ? joined : without_empty;
  for_common_pieces(std::array{places(left), places(right), places(into)},
                    [&](const auto& parts) { reduce(parts[0], parts[1], parts[2]); });
}

void ScheduleBuilder::strand(int number) {
  assert(number < most_strands);
  strand_ = number;
  strands_ = std::max(strands_, number + 1);
}

// A part that is written again.
struct ScheduleBuilder::Replay {
  const ScheduleBuilder& part;
  Units offset;          // of the input and the output
  Units scratch;         // of the scratch that is its own
  std::size_t next = 0;  // step

  Slices places(const Step& step) const {
    const auto first = part.slices_.begin() + step.slices;
    Slices places(first, first + step.pieces);
    for (Slice& each : places) {
      if (each.buffer != Buffer::scratch) {
        each.offset += offset;
      } else if (each.offset >= part.shared_) {
        each.offset += scratch;
      }
    }
    return places;
  }
  // Behind the round's last message.
  std::size_t end_of(int round) const {
    std::size_t end = next;
    for (std::size_t i = next; i < part.steps_.size() && part.steps_[i].round <= round; ++i) {
      if (part.steps_[i].is_message()) end = i + 1;
    }
    return end;
  }
};

void ScheduleBuilder::replay(const Step& step, const Replay& from, int round) {
  if (step.is_message()) return message(step.kind, round, from.places(step), step.peer - origin_);
  append({.kind = step.kind, .round = round}, from.places(step));
}

void ScheduleBuilder::by_turns(const std::vector<Part>& parts, Start start) {
  std::vector<Replay> replays;
  int rounds = 0;
  for (const Part& part : parts) {
    const Units own = part.written.scratch_ - part.written.shared_;
    const Units shift = scratch(own).offset - part.written.shared_;
    replays.push_back({part.written, part.offset, shift});
    for (const Slice& each : part.written.blank_) {
      blank_.push_back({each.buffer, each.offset + shift, each.size});
    }
    rounds = std::max(rounds, part.written.rounds_);
  }
  const auto play = [&](Replay& from, std::size_t end, int round) {
    for (; from.next < end; ++from.next) replay(from.part.steps_[from.next], from, round);
  };
  const int window = window_;
  for (int t = 0; t < rounds; ++t) {
    // What has begun does not hold up the next part's start.
    const bool is_start = t == 0 && start == Start::apart;
    window_ = is_start ? std::numeric_limits<int>::max() : window;
    for (Replay& from : replays) {
      if (is_start && &from != &replays.front()) {
        start_ = rounds_;
        Round latency = round();
        latency.signal(me_ + 1);
        latency.await(me_ - 1);
      }
      if (t < from.part.rounds_) play(from, from.end_of(t), rounds_++);
    }
  }
  for (Replay& from : replays) play(from, from.part.steps_.size(), rounds_ - 1);
}

// The least that has all of these, which are in one buffer.
static Slice around(Places places) {
  if (places.empty()) return {};
  Units first = places.front().offset, end = places.front().end();
  for (const Slice& each : places) {
    first = std::min(first, each.offset);
    end = std::max(end, each.end());
  }
  return {places.front().buffer, first, end - first};
}

// Messages of many blocks are followed by as many local steps.
static bool are_many(Places places) { return places.size() > 8; }

void ScheduleBuilder::append(Step step, Places places) {
  step.slices = static_cast<std::uint32_t>(slices_.size());
  if (step.is_message()) {
    append_joined(places, slices_);
  } else {
    slices_.insert(slices_.end(), places.begin(), places.end());
  }
  step.pieces = static_cast<std::uint32_t>(slices_.size()) - step.slices;
  step.strand = static_cast<std::uint8_t>(strand_);
  step.ahead = static_cast<std::uint16_t>(ahead_);
  add_waits(step);
  if (step.is_message()) {
    const Places own = touched(step, slices_);
    under_way(step.kind).add(
        {static_cast<std::uint32_t>(steps_.size()), around(own), ordered_.size()}, step.round);
    if (are_many(own)) {
      ordered_.insert(ordered_.end(), own.begin(), own.end());
      put_in_order(std::span(ordered_).last(own.size()));
    }
  }
  steps_.push_back(step);
}

// Whether the step has to wait for the message though it has none of its data.
bool ScheduleBuilder::paced(const Step& step, const Step& earlier) const {
  const bool is_start = earlier.kind == Kind::recv && earlier.round == start_;
  if (is_start && step.kind == Kind::send && step.round > start_) return true;
  if (earlier.round > step.round - window_ || earlier.strand != step.strand) return false;
  switch (pace_) {
    case Pace::in_turn:
      return step.kind == earlier.kind;
    case Pace::round_by_round:
      return step.kind == Kind::send;
    case Pace::one_send:
      return step.kind == Kind::send && earlier.kind == Kind::send;
    case Pace::all_at_once:
      break;
  }
  return false;
}

bool ScheduleBuilder::conflicts(const Step& step, const Outstanding& earlier) const {
  const Step& message = steps_[earlier.message];
  if (!are_many(touched(message, slices_))) return conflict(step, message, slices_);
  const Places own = message.kind == Kind::send ? written(step, slices_) : touched(step, slices_);
  return overlap_ordered(own, Places(ordered_).subspan(earlier.ordered, message.pieces));
}

void ScheduleBuilder::UnderWay::add(const Outstanding& message, int round) {
  constexpr std::size_t most = 8;
  messages.push_back(message);
  first_round = std::min(first_round, round);
  if (message.around.size == 0) return;
  Slices& all = around[static_cast<std::size_t>(message.around.buffer)];
  Slice whole = message.around;
  std::erase_if(all, [&](const Slice& each) {
    const bool meets =
        all.size() > most || (each.offset <= whole.end() && whole.offset <= each.end());
    if (meets) whole = tutti::around(std::array{each, whole});
    return meets;
  });
  all.push_back(whole);
}

bool ScheduleBuilder::UnderWay::touches(Places places) const {
  return std::ranges::any_of(places, [&](const Slice& place) {
    return std::ranges::any_of(around[static_cast<std::size_t>(place.buffer)],
                               [&](const Slice& each) { return overlap(each, place); });
  });
}

// A receive also names what it follows by its pace though a step before it waits for that: it may
// be moved ahead of this step.
void ScheduleBuilder::add_waits(Step& step) {
  const std::size_t first = waits_.size(), completed = completed_.size();
  const std::array<Slice, 1> own{around(touched(step, slices_))};
  const Places places = step.is_message() ? Places(own) : touched(step, slices_);
  follow(step, places, sends_);
  follow(step, places, receives_);
  std::sort(waits_.begin() + static_cast<std::ptrdiff_t>(first), waits_.end());
  for (std::size_t i = waits_.size(); i > first; --i) {
    completed_.push_back({waits_[i - 1], step.round});
  }
  std::size_t lately = completed;
  while (lately > 0 && step.kind == Kind::recv &&
         completed_[lately - 1].round >= step.round - step.ahead) {
    --lately;
  }
  for (; lately < completed && step.kind == Kind::recv; ++lately) {
    const std::uint32_t message = completed_[lately].message;
    if (paced(step, steps_[message])) waits_.push_back(message);
  }
  step.waits = static_cast<std::uint32_t>(first);
  step.wait_count = static_cast<std::uint32_t>(waits_.size() - first);
}

// Where messages come all at once, local work waits for them in their order: it takes a processor
// to receive one, and those that came before the awaited one are to have had theirs.
void ScheduleBuilder::follow(const Step& step, Places places, UnderWay& messages) {
  const bool may_be_paced = start_ >= 0 || messages.first_round <= step.round - window_;
  if (!may_be_paced && !messages.touches(places)) return;
  const bool receives = &messages == &receives_;
  const bool in_order = receives && pace_ == Pace::all_at_once && !step.is_message();
  bool awaits_later = false;  // received message
  int first_round = std::numeric_limits<int>::max();
  std::vector<Outstanding>& all = messages.messages;
  auto kept = all.end();
  for (auto each = all.end(); each != all.begin();) {
    const Outstanding& outstanding = *--each;
    const Step& earlier = steps_[outstanding.message];
    const bool comes_before = awaits_later && earlier.strand == step.strand;
    const auto is_near = [&](const Slice& place) { return overlap(place, outstanding.around); };
    if (comes_before || paced(step, earlier) ||
        (std::ranges::any_of(places, is_near) && conflicts(step, outstanding))) {
      waits_.push_back(outstanding.message);
      awaits_later |= in_order;
    } else {
      first_round = std::min(first_round, earlier.round);
      if (--kept != each) *kept = outstanding;
    }
  }
  all.erase(all.begin(), kept);
  if (all.empty()) messages.around = {};
  messages.first_round = first_round;
}

Schedule ScheduleBuilder::finish() && {
  Schedule schedule;
  schedule.steps = std::move(steps_);
  schedule.slices = std::move(slices_);
  schedule.waits = std::move(waits_);
  for (const UnderWay* kind : {&sends_, &receives_}) {
    for (const Outstanding& each : kind->messages) schedule.last_waits.push_back(each.message);
  }
  std::ranges::sort(schedule.last_waits);
  schedule.strands = strands_;
  schedule.scratch = scratch_;
  schedule.blank = blank_;
  schedule.rounds = rounds_;
  schedule.lead = static_cast<std::uint32_t>(lead_);
  return schedule;
}

}  // namespace tutti
