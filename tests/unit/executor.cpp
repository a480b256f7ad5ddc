#include "executor.hpp"

#include <algorithm>

namespace tutti::oracle {

Executor::Executor(const std::vector<Schedule>& schedules, std::vector<Memory> memory,
                   Options options)
    : schedules_(schedules),
      memory_(std::move(memory)),
      options_(options),
      random_(options.seed),
      finished_(schedules.size()) {
  for (Rank r = 0; r < static_cast<Rank>(schedules.size()); ++r) {
    done_.emplace_back(schedule(r).steps.size());
    next_.emplace_back();
    for (int s = 0; s < schedule(r).strands; ++s) next_.back().push_back(next_of(r, s, 0));
    memory_[static_cast<std::size_t>(r)].at(Buffer::scratch) =
        Values(static_cast<std::size_t>(schedule(r).scratch));
    if (r != options.held_up) runnable_.push_back(r);
  }
}

std::size_t Executor::below(std::size_t bound) { return random_() % bound; }

std::string Executor::run() {
  while (error_.empty() && runnable_.size() + deliverable_.size() > 0) {
    const std::size_t chosen = below(runnable_.size() + deliverable_.size());
    if (chosen < runnable_.size()) {
      const Rank rank = runnable_[chosen];
      if (!go_on(rank)) runnable_.erase(runnable_.begin() + static_cast<std::ptrdiff_t>(chosen));
    } else {
      const auto at = deliverable_.begin() + static_cast<std::ptrdiff_t>(chosen - runnable_.size());
      const Key key = *at;
      deliverable_.erase(at);
      deliver(key);
    }
  }
  if (!error_.empty()) return error_;
  if (std::ranges::find(finished_, false) != finished_.end()) return "a rank is stuck";
  return messages_.empty() ? "" : "a message has only one side";
}

bool Executor::all_done(Rank rank, const std::uint32_t* waits, std::size_t count) const {
  const Schedule& mine = schedule(rank);
  return std::all_of(waits, waits + count, [&](std::uint32_t waited) {
    return !mine.steps[waited].is_message() || done_[static_cast<std::size_t>(rank)][waited];
  });
}

std::size_t Executor::next_of(Rank rank, int strand, std::size_t from) const {
  const std::vector<Step>& steps = schedule(rank).steps;
  while (from < steps.size() && steps[from].strand != strand) ++from;
  return from;
}

// Issues a step of this rank; false if all strands have to wait, or it has finished.
bool Executor::go_on(Rank rank) {
  const Schedule& mine = schedule(rank);
  const int strands = mine.strands;
  const auto first = static_cast<int>(below(static_cast<std::size_t>(strands)));
  for (int i = 0; i < strands; ++i) {
    if (go_on(rank, (first + i) % strands)) return true;
  }
  const auto is_end = [&](std::size_t next) { return next == mine.steps.size(); };
  if (std::ranges::all_of(next_[static_cast<std::size_t>(rank)], is_end)) {
    finished_[static_cast<std::size_t>(rank)] =
        all_done(rank, mine.last_waits.data(), mine.last_waits.size());
  }
  return false;
}

bool Executor::go_on(Rank rank, int strand) {
  const Schedule& mine = schedule(rank);
  std::size_t& next = next_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(strand)];
  if (next == mine.steps.size()) return false;
  const Step& step = mine.steps[next];
  if (!all_done(rank, mine.waits.data() + step.waits, step.wait_count)) return false;
  const auto number = static_cast<std::uint32_t>(next);
  if (step.is_message() && come_.try_emplace({rank, number}).second) {
    post(rank, number);
    if (step.computes()) return true;
  }
  if (step.computes()) {
    if (step.is_message() && !done_[static_cast<std::size_t>(rank)][next]) return false;
    compute(rank, number);
  }
  next = next_of(rank, strand, next + 1);
  return true;
}

Values Executor::operand(Rank rank, std::uint32_t number, int which) {
  const Slice& place = schedule(rank).slices_of(schedule(rank).steps[number])[which];
  return place.buffer == Buffer::message ? come_[{rank, number}] : read(rank, place);
}

void Executor::compute(Rank rank, std::uint32_t number) {
  const Step& step = schedule(rank).steps[number];
  const Slice* at = schedule(rank).slices_of(step);
  Values result = operand(rank, number, 0);
  if (step.reduces()) {
    const Values right = operand(rank, number, 1);
    if (result.size() != right.size()) error_ = "operands differ in size";
    for (std::size_t i = 0; i < result.size() && error_.empty(); ++i) {
      result[i] = combined(result[i], right[i]);
    }
  }
  write(rank, at[step.pieces - 1], result);
}

Value Executor::combined(const Value& left, const Value& right) const {
  if (left.index != right.index) return {"!", left.index};
  Value result{left.ranks + right.ranks, left.index};
  if (options_.commutative) std::ranges::sort(result.ranks);
  return result;
}

void Executor::post(Rank rank, std::uint32_t number) {
  const Step& step = schedule(rank).steps[number];
  const bool sends = step.kind == Kind::send;
  const Key key{sends ? rank : step.peer, sends ? step.peer : rank, step.tag};
  Message& message = messages_[key];
  auto& side = sends ? message.send : message.recv;
  if (side) error_ = "a message twice";
  side = Side{rank, number};
  if (sends && (options_.always_eager || below(2) == 0)) {
    message.buffered = read_pieces(*side);
    complete(*side);
  }
  if (message.send && message.recv) deliverable_.push_back(key);
}

void Executor::deliver(const Key& key) {
  const Message message = messages_[key];
  messages_.erase(key);
  const Values carried = message.buffered ? *message.buffered : read_pieces(*message.send);
  const Schedule& receiver = schedule(message.recv->rank);
  const Step& step = receiver.steps[message.recv->step];
  if (static_cast<Units>(carried.size()) != receiver.size_of(step)) {
    error_ = "a message of the wrong size";
    return;
  }
  if (step.computes()) come_[{message.recv->rank, message.recv->step}] = carried;
  auto from = carried.begin();
  for (std::uint32_t i = 0; i < step.pieces && !step.computes(); ++i) {
    const Slice& piece = receiver.slices_of(step)[i];
    if (!inside(message.recv->rank, piece)) return;
    write(message.recv->rank, piece, {from, from + piece.size});
    from += piece.size;
  }
  if (!message.buffered) complete(*message.send);
  complete(*message.recv);
}

void Executor::complete(const Side& side) {
  done_[static_cast<std::size_t>(side.rank)][side.step] = true;
  if (std::ranges::find(runnable_, side.rank) == runnable_.end()) runnable_.push_back(side.rank);
}

bool Executor::inside(Rank rank, const Slice& slice) {
  const bool is_memory = slice.buffer != Buffer::message;
  const auto size = is_memory ? static_cast<Units>(memory(rank).at(slice.buffer).size()) : 0;
  const bool fits = is_memory && slice.offset >= 0 && slice.size >= 0 && slice.end() <= size;
  if (!fits) error_ = "a slice out of bounds";
  return fits;
}

Values Executor::read(Rank rank, const Slice& slice) {
  if (!inside(rank, slice)) return {};
  const auto first = memory(rank).at(slice.buffer).begin() + slice.offset;
  return {first, first + slice.size};
}

Values Executor::read_pieces(const Side& side) {
  const Schedule& mine = schedule(side.rank);
  const Step& step = mine.steps[side.step];
  Values all;
  for (std::uint32_t i = 0; i < step.pieces; ++i) {
    const Values piece = read(side.rank, mine.slices_of(step)[i]);
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

void Executor::write(Rank rank, const Slice& slice, const Values& values) {
  if (!inside(rank, slice)) return;
  if (static_cast<Units>(values.size()) != slice.size) {
    error_ = "a result of the wrong size";
    return;
  }
  Values& buffer = memory_[static_cast<std::size_t>(rank)].at(slice.buffer);
  std::ranges::copy(values, buffer.begin() + slice.offset);
}

}  // namespace tutti::oracle
