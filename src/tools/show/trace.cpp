#include "tools/show/trace.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "interpret/interpreter.hpp"
#include "verify/promise.hpp"
#include "verify/verify.hpp"

namespace tutti::tools {

namespace {

using Contents = std::vector<Cell>;  // of consecutive units

// Something for each unit of a rank's three buffers.
template <class T>
struct Memory {
  std::array<std::vector<T>, 3> buffers;

  auto at(const Slice& slice) {
    return buffers[static_cast<std::size_t>(slice.buffer)].begin() + slice.offset;
  }
  void fill(const Slice& slice, T value) { std::fill_n(at(slice), slice.size, value); }
};

class Tracer : public Observer {
 public:
  Tracer(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules)
      : call_(call), in_place_(in_place), schedules_(schedules), values_(call.commutative) {
    for (Rank r = 0; r < call.p; ++r) values_.of_ranks(r, r);
    for (Rank r = 0; r < call.p; ++r) {
      memory_.push_back(start(r));
      heard_.push_back({{r, 0}});
      moved_.emplace_back(schedule_of(r).steps.size());
    }
  }

  Trace finish() && {
    Trace result{.call = call_, .values = values_, .rounds = {}};
    const int rounds = schedules_.front().rounds;
    for (int k = -1; k < rounds; ++k) result.rounds.push_back(round(k));
    return result;
  }

  void posted(Rank rank, std::uint32_t number) override {
    const Step& step = step_of(rank, number);
    if (step.kind != Kind::send) return;
    Contents& message = moved(rank, number);
    if (is_barrier()) message.assign(of(heard_, rank).begin(), of(heard_, rank).end());
    for (std::uint32_t i = 0; i < step.pieces; ++i) {
      const Contents piece = read(rank, slices_of(rank, step)[i]);
      message.insert(message.end(), piece.begin(), piece.end());
    }
  }

  void delivered(Rank from, std::uint32_t send, Rank to, std::uint32_t recv) override {
    moved(to, recv) = moved(from, send);
    if (!step_of(to, recv).computes()) write(of(memory_, to), to, recv);
  }

  void waited(Rank rank, std::uint32_t number) override {
    if (!is_barrier() || !step_of(rank, number).is_receive()) return;
    of(heard_, rank).insert(moved(rank, number).begin(), moved(rank, number).end());
  }

  void computed(Rank rank, std::uint32_t number) override {
    const Step& step = step_of(rank, number);
    const Contents message = moved(rank, number);
    const auto operand = [&](int which) {
      const Slice& place = slices_of(rank, step)[which];
      return place.buffer == Buffer::message ? message : read(rank, place);
    };
    Contents& result = moved(rank, number);
    result = operand(0);
    if (step.reduces()) {
      const Contents right = operand(1);
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i].value = values_.combine(result[i].value, right[i].value);
      }
    }
    write(of(memory_, rank), rank, number);
  }

 private:
  template <class T>
  static T& of(std::vector<T>& all, Rank rank) {
    return all[static_cast<std::size_t>(rank)];
  }
  const Schedule& schedule_of(Rank rank) const {
    return schedules_[static_cast<std::size_t>(rank)];
  }
  const Step& step_of(Rank rank, std::uint32_t number) const {
    return schedule_of(rank).steps[number];
  }
  const Slice* slices_of(Rank rank, const Step& step) const {
    return schedule_of(rank).slices_of(step);
  }
  Contents& moved(Rank rank, std::uint32_t number) { return of(moved_, rank)[number]; }
  bool is_barrier() const { return call_.collective == Collective::barrier; }

  Call call_of(Rank rank) const { return call_of_rank(call_, in_place_, rank); }

  template <class T>
  Memory<T> memory_of(Rank rank, T value) const {
    const Call call = call_of(rank);
    const Rank me = call.virtual_rank(rank);
    Memory<T> memory;
    const Units sizes[] = {call.input_units(me), call.output_units(me), schedule_of(rank).scratch};
    for (std::size_t i = 0; i < 3; ++i) {
      memory.buffers[i].assign(static_cast<std::size_t>(sizes[i]), value);
    }
    return memory;
  }

  Memory<Cell> start(Rank rank) {
    Memory<Cell> memory = memory_of(rank, Cell{});
    for (const Held& held : before(call_of(rank), rank, values_)) {
      auto at = memory.at(held.where);
      for (const Extent& extent : held.what) {
        for (Units i = 0; i < extent.size; ++i) *at++ = {extent.value, extent.index + i};
      }
    }
    return memory;
  }

  Contents read(Rank rank, const Slice& slice) {
    const auto from = of(memory_, rank).at(slice);
    return {from, from + slice.size};
  }

  // Puts what the step moved where it writes.
  void write(Memory<Cell>& memory, Rank rank, std::uint32_t number) {
    const Step& step = step_of(rank, number);
    auto next = moved(rank, number).begin();
    for (std::uint32_t i = step.computes() ? step.pieces - 1 : 0; i < step.pieces; ++i) {
      const Slice& piece = slices_of(rank, step)[i];
      std::copy_n(next, piece.size, memory.at(piece));
      next += piece.size;
    }
  }

  // The memory whose contents after round k matter: read later, or the result.
  Memory<char> needed(Rank rank, int k) const {
    const Schedule& schedule = schedule_of(rank);
    Memory<char> needed = memory_of<char>(rank, 0);
    needed.fill(call_of(rank).output(call_.virtual_rank(rank)), 1);
    for (auto step = schedule.steps.rbegin(); step != schedule.steps.rend(); ++step) {
      if (step->round <= k) continue;
      const Slice* slices = schedule.slices_of(*step);
      const std::uint32_t written = step->computes() ? step->pieces - 1 : 0;
      if (step->kind != Kind::send) {
        for (std::uint32_t i = written; i < step->pieces; ++i) needed.fill(slices[i], 0);
      }
      if (step->kind == Kind::recv) continue;
      const std::uint32_t reads = step->kind == Kind::send ? step->pieces : step->pieces - 1;
      for (std::uint32_t i = 0; i < reads; ++i) {
        if (slices[i].buffer != Buffer::message) needed.fill(slices[i], 1);
      }
    }
    return needed;
  }

  // Steps are grouped by round, though receives of later rounds are issued early: they touch
  // nothing that steps before them need.
  Cells held(Rank rank, int k) {
    Memory<Cell> memory = start(rank);
    Cells result;
    if (is_barrier()) result.insert({rank, 0});
    for (std::uint32_t i = 0; i < schedule_of(rank).steps.size(); ++i) {
      const Step& step = step_of(rank, i);
      if (step.round > k || step.kind == Kind::send) continue;
      write(memory, rank, i);
      if (is_barrier()) result.insert(moved(rank, i).begin(), moved(rank, i).end());
    }
    const Memory<char> matters = needed(rank, k);
    for (std::size_t buffer = 0; buffer < 3; ++buffer) {
      for (std::size_t i = 0; i < memory.buffers[buffer].size(); ++i) {
        const Cell& cell = memory.buffers[buffer][i];
        if (matters.buffers[buffer][i] != 0 && cell.value >= 0) result.insert(cell);
      }
    }
    return result;
  }

  TracedRound round(int k) {
    TracedRound result;
    for (Rank r = 0; r < call_.p; ++r) {
      result.held.push_back(held(r, k));
      for (std::uint32_t i = 0; i < schedule_of(r).steps.size(); ++i) {
        const Step& step = step_of(r, i);
        if (step.kind != Kind::send || step.round != k) continue;
        result.messages.push_back({r, step.peer, {moved(r, i).begin(), moved(r, i).end()}});
      }
    }
    return result;
  }

  const Call& call_;
  InPlace in_place_;
  const std::vector<Schedule>& schedules_;
  Products values_;
  std::vector<Memory<Cell>> memory_;
  std::vector<Cells> heard_;                  // barrier: ranks known to have arrived
  std::vector<std::vector<Contents>> moved_;  // per rank and step: what it sent, got or computed
};

}  // namespace

Trace trace(const Algorithm& algorithm, const Call& call) {
  const std::vector<Schedule> schedules = build_all(algorithm, call, usual(algorithm));
  Tracer tracer(call, usual(algorithm), schedules);
  const Run run = interpret(schedules, {}, call.unit_bytes, Sends::buffered_until_waited, tracer);
  if (!run.error.empty()) throw std::runtime_error("drawing: " + run.error);
  return std::move(tracer).finish();
}

}  // namespace tutti::tools
