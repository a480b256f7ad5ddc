#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "interpret/interpreter.hpp"
#include "verify/arithmetic.hpp"

namespace tutti {

namespace {

struct RankMemory {
  std::array<SymbolicBuffer, 3> buffers;
  std::array<Units, 3> sizes{};
  std::vector<std::uint32_t> under_way;  // messages posted and not waited for
  std::vector<Extents> carried;          // per step: by a posted send; come for a recv_reduce
  std::vector<bool> heard;               // barrier: ranks this one knows have arrived
  std::vector<std::vector<bool>> told;   // barrier, per step: what a message says

  SymbolicBuffer& at(const Slice& slice) { return buffers[static_cast<std::size_t>(slice.buffer)]; }
};

class Verifier : public Observer {
 public:
  Verifier(Terms terms, const std::vector<Schedule>& schedules)
      : terms_(std::move(terms)), schedules_(schedules), arithmetic_(terms_) {
    for (Rank r = 0; r < terms_.p; ++r) memory_.push_back(start(r));
  }

  std::string verdict() {
    for (Rank r = 0; r < terms_.p && error_.empty(); ++r) {
      check_form(r);
      check_strands(r);
    }
    if (!error_.empty()) return error_;
    const Run run = interpret(schedules_, {.alpha = 1, .beta = 0, .gamma = 0}, 1, sends(), *this);
    if (!error_.empty()) return error_;
    if (!run.error.empty()) return run.error;
    for (Rank r = 0; r < terms_.p && error_.empty(); ++r) {
      check_order(r);
      check_slots(r);
    }
    for (Rank r = 0; r < terms_.p && error_.empty(); ++r) check_result(r);
    return error_;
  }

  void posted(Rank rank, std::uint32_t number) override {
    RankMemory& memory = of(rank);
    const Step& step = step_of(rank, number);
    check_untouched(rank, number);
    if (step.kind == Kind::send) memory.carried[number] = read(rank, number, 0, step.pieces);
    if (terms_.barrier && step.kind == Kind::send) {
      memory.told[number] = memory.heard;
    }
    memory.under_way.push_back(number);
  }

  void delivered(Rank from, std::uint32_t send, Rank to, std::uint32_t recv) override {
    const Step& sending = step_of(from, send);
    const Step& receiving = step_of(to, recv);
    if (sending.round != receiving.round) {
      fail(to, recv, fmt::format("is sent in round {}", sending.round));
    }
    if ((send < schedule_of(from).lead) != (recv < schedule_of(to).lead)) {
      fail(to, recv, "goes before the others on one side only");
    }
    if (receiving.computes()) {
      of(to).carried[recv] = of(from).carried[send];
      return;
    }
    ExtentReader message(of(from).carried[send]);
    for (std::uint32_t i = 0; i < receiving.pieces; ++i) {
      const Slice& piece = slices_of(to, receiving)[i];
      piece_.clear();
      for (Units left = piece.size; left > 0 && !message.at_end(); left -= piece_.back().size) {
        piece_.push_back(message.next(left));
      }
      of(to).at(piece).write(piece.offset, piece_);
    }
    if (terms_.barrier) of(to).told[recv] = of(from).told[send];
  }

  void waited(Rank rank, std::uint32_t number) override {
    RankMemory& memory = of(rank);
    std::erase(memory.under_way, number);
    if (!terms_.barrier) return;
    if (!step_of(rank, number).is_receive()) return;
    for (std::size_t r = 0; r < memory.heard.size(); ++r) {
      if (memory.told[number][r]) memory.heard[r] = true;
    }
  }

  void computed(Rank rank, std::uint32_t number) override {
    check_untouched(rank, number);
    const Step& step = step_of(rank, number);
    const Slice& into = slices_of(rank, step)[step.pieces - 1];
    if (into.size == 0) return;
    const Extents left = operand(rank, number, 0);
    const Extents result =
        step.reduces() ? combined(rank, number, left, operand(rank, number, 1)) : left;
    if (error_.empty()) of(rank).at(into).write(into.offset, result);
    if (step.reduces() && terms_.keep_expressions) {
      for (const Extent& each : result) made_.push_back({each, {rank, number}});
    }
  }

  std::vector<StepAt> reductions_of_several() {
    const auto has_less = [](const Made& a, const Made& b) { return a.what.value < b.what.value; };
    std::ranges::sort(made_, has_less);
    std::vector<StepAt> found;
    const auto is_made_by_another = [](const Made& one) {
      return [&one](const Made& other) {
        return one.at.first != other.at.first &&
               other.what.index < one.what.index + one.what.size &&
               one.what.index < other.what.index + other.what.size;
      };
    };
    for (const Made& each : made_) {
      const auto [first, last] = std::equal_range(made_.begin(), made_.end(), each, has_less);
      if (std::any_of(first, last, is_made_by_another(each))) found.push_back(each.at);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  std::uint64_t fingerprint_of_results() {
    std::uint64_t fingerprint = 0;
    for (Rank rank = 0; rank < terms_.p; ++rank) {
      for (const Held& held : terms_.after(rank, values())) {
        if (held.where.size == 0) continue;
        for (const Extent& each :
             of(rank).at(held.where).read(held.where.offset, held.where.size)) {
          fingerprint = mixed(fingerprint, values().fingerprint(each.value));
          fingerprint = mixed(fingerprint, static_cast<std::uint64_t>(each.index));
          fingerprint = mixed(fingerprint, static_cast<std::uint64_t>(each.size));
        }
      }
    }
    return fingerprint;
  }

 private:
  struct Made {
    Extent what;
    StepAt at;
  };

  // What is combined where it lies lets its sender go on: a send that waited would wait for the
  // other's, whose receive is behind it.
  Sends sends() const {
    const auto is_late = [](const Step& step) { return step.kind == Kind::recv_reduce; };
    const bool any = std::ranges::any_of(schedules_, [&](const Schedule& schedule) {
      return std::ranges::any_of(schedule.steps, is_late);
    });
    return any ? Sends::buffered_until_waited : Sends::blocking;
  }

  RankMemory& of(Rank rank) { return memory_[static_cast<std::size_t>(rank)]; }
  Products& values() { return arithmetic_.values(); }
  const Schedule& schedule_of(Rank rank) const {
    return schedules_[static_cast<std::size_t>(rank)];
  }
  const Step& step_of(Rank rank, std::uint32_t number) const {
    return schedule_of(rank).steps[number];
  }
  const Slice* slices_of(Rank rank, const Step& step) const {
    return schedule_of(rank).slices_of(step);
  }

  void fail(Rank rank, std::uint32_t number, const std::string& what) {
    if (!error_.empty()) return;
    error_ = fmt::format("rank {}, step {} ({}): {}", rank, number,
                         to_string(step_of(rank, number).kind), what);
  }

  RankMemory start(Rank rank) {
    const std::size_t steps = schedule_of(rank).steps.size();
    const auto [in, out] = terms_.sizes(rank);
    RankMemory memory;
    memory.sizes = {in, out, schedule_of(rank).scratch};
    memory.carried.resize(steps);
    memory.told.resize(steps);
    memory.heard.resize(static_cast<std::size_t>(terms_.p));
    memory.heard[static_cast<std::size_t>(rank)] = true;
    for (const Held& held : terms_.before(rank, values())) {
      if (held.where.size > 0) memory.at(held.where).write(held.where.offset, held.what);
    }
    for (const Slice& blank : schedule_of(rank).blank) {
      if (blank.size > 0) {
        memory.at(blank).write(blank.offset, {{values().nothing(), 0, blank.size}});
      }
    }
    return memory;
  }

  // Whether the step is another fragment of the message that the one before it is of.
  static bool goes_on(const Schedule& schedule, std::uint32_t number) {
    if (number == 0) return false;
    const Step &step = schedule.steps[number], &before = schedule.steps[number - 1];
    return step.kind == before.kind && step.peer == before.peer && step.round == before.round &&
           step.tag == before.tag + 1;
  }

  // What can be seen without running: bounds, who is written, one port per round.
  void check_form(Rank rank) {
    const Schedule& schedule = schedule_of(rank);
    std::vector<int> sends(static_cast<std::size_t>(schedule.rounds));
    std::vector<int> recvs = sends;
    for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& step = schedule.steps[i];
      for (std::uint32_t piece = 0; piece < step.pieces; ++piece) check_slice(rank, i, piece);
      if (i < schedule.lead) check_lead(rank, i);
      if (step.computes()) check_operands(rank, i);
      if (!step.is_message()) continue;
      if (step.round < 0 || step.round >= schedule.rounds) {
        fail(rank, i, "is in no round");
      } else if (!goes_on(schedule, i) &&
                 ++(step.kind == Kind::send ? sends : recvs)[static_cast<std::size_t>(step.round)] >
                     1) {
        fail(rank, i, fmt::format("is the second of its kind in round {}", step.round));
      }
    }
  }

  // Shared memory keeps the messages from one rank to another in order.
  void check_order(Rank rank) {
    const Schedule& schedule = schedule_of(rank);
    if (schedule.strands > 1) return;
    std::array<std::vector<int>, 2> next;  // of sends, of receives; by peer
    for (auto& each : next) each.resize(static_cast<std::size_t>(terms_.p));
    for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& step = schedule.steps[i];
      if (!step.is_message()) continue;
      int& expected = next[step.is_receive() ? 1 : 0][static_cast<std::size_t>(step.peer)];
      if (step.tag != expected++) return fail(rank, i, "overtakes another between the same ranks");
    }
  }

  // A message has its slot until it is waited for, once.
  void check_slots(Rank rank) {
    const Schedule& schedule = schedule_of(rank);
    std::vector<int> holder(static_cast<std::size_t>(schedule.slots), -1);
    const auto holder_of = [&](std::uint32_t message) -> int& {
      return holder[static_cast<std::size_t>(schedule.steps[message].slot)];
    };
    for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& step = schedule.steps[i];
      for (std::uint32_t w = 0; w < step.wait_count; ++w) {
        const std::uint32_t message = schedule.waits[step.waits + w];
        if (holder_of(message) != static_cast<int>(message)) {
          return fail(rank, i, fmt::format("waits for step {} again", message));
        }
        holder_of(message) = -1;
      }
      if (!step.is_message()) continue;
      if (step.slot < 0 || step.slot >= schedule.slots) return fail(rank, i, "has no slot");
      if (holder_of(i) >= 0) return fail(rank, i, "takes a slot that is in use");
      if (step.kind != Kind::recv_reduce) holder_of(i) = static_cast<int>(i);
    }
  }

  // Strands are apart, so that whatever one's turn is the result is that of the steps' order.
  void check_strands(Rank rank) {
    const Schedule& schedule = schedule_of(rank);
    if (schedule.strands > 1 && schedule.lead > 0)
      fail(rank, 0, "goes before those of all strands");
    for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& step = schedule.steps[i];
      if (step.strand >= schedule.strands || schedule.strands > most_strands) {
        fail(rank, i, "is of no strand");
      }
      for (std::uint32_t w = 0; w < step.wait_count; ++w) {
        const std::uint32_t waited = schedule.waits[step.waits + w];
        if (schedule.steps[waited].strand != step.strand) fail(rank, i, "waits for another strand");
      }
    }
    if (schedule.strands > 1 && error_.empty()) check_apart(rank);
  }

  // Goes over all places in the order of their offsets, with the farthest end of those before.
  void check_apart(Rank rank) {
    struct Touch {
      Slice place;
      std::uint32_t step;
      bool writes;
    };
    struct Ends {
      Units touched = 0, written = 0;
    };
    const Schedule& schedule = schedule_of(rank);
    std::vector<Touch> touches;
    for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& step = schedule.steps[i];
      const std::size_t read =
          touched(step, schedule.slices).size() - written(step, schedule.slices).size();
      for (std::uint32_t piece = 0; piece < step.pieces; ++piece) {
        const Slice& place = schedule.slices_of(step)[piece];
        if (place.size > 0 && place.buffer != Buffer::message)
          touches.push_back({place, i, piece >= read});
      }
    }
    std::ranges::sort(touches, {}, [](const Touch& each) {
      return std::pair(each.place.buffer, each.place.offset);
    });
    std::array<std::array<Ends, most_strands>, 3> ends{};
    for (const auto& [place, number, writes] : touches) {
      auto& of_strands = ends[static_cast<std::size_t>(place.buffer)];
      const std::size_t own = schedule.steps[number].strand;
      for (std::size_t strand = 0; strand < of_strands.size(); ++strand) {
        const Ends& other = of_strands[strand];
        if (strand == own || place.offset >= (writes ? other.touched : other.written)) continue;
        return fail(rank, number, "touches what another strand writes, or writes what it touches");
      }
      Ends& mine = of_strands[own];
      mine.touched = std::max(mine.touched, place.end());
      if (writes) mine.written = std::max(mine.written, place.end());
    }
  }

  // It may be issued before there is any scratch, while another schedule runs.
  void check_lead(Rank rank, std::uint32_t number) {
    const Step& step = step_of(rank, number);
    if (step.computes() || step.wait_count > 0 || step.slot != static_cast<int>(number)) {
      fail(rank, number, "is no message that may go before the others");
    }
    if (step.pieces > 0 && slices_of(rank, step)->buffer == Buffer::scratch) {
      fail(rank, number, "uses scratch before the others");
    }
  }

  void check_slice(Rank rank, std::uint32_t number, std::uint32_t piece) {
    const Step& step = step_of(rank, number);
    const Slice& slice = slices_of(rank, step)[piece];
    const Units size = slice.buffer == Buffer::message
                           ? slices_of(rank, step)[step.pieces - 1].size
                           : of(rank).sizes[static_cast<std::size_t>(slice.buffer)];
    if (slice.offset < 0 || slice.size < 0 || slice.end() > size) {
      fail(rank, number,
           fmt::format("[{}, {}) is outside the {} units of `{}`", slice.offset, slice.end(), size,
                       to_string(slice.buffer)));
    }
    if (!step.computes() && slice.buffer != slices_of(rank, step)[0].buffer) {
      fail(rank, number, "has pieces in two buffers");
    }
    const bool writes = step.kind == Kind::recv || (step.computes() && piece + 1 == step.pieces);
    if (writes && slice.buffer == Buffer::in && slice.size > 0) fail(rank, number, "writes `in`");
  }

  void check_operands(Rank rank, std::uint32_t number) {
    const Step& step = step_of(rank, number);
    const Places all(slices_of(rank, step), step.pieces);
    const auto differs = [&](const Slice& each) { return each.size != all[0].size; };
    if (std::ranges::any_of(all, differs)) fail(rank, number, "operands differ in size");
    const auto of_message = std::ranges::count(all, Buffer::message, &Slice::buffer);
    if (of_message != (step.is_message() ? 1 : 0) || all.back().buffer == Buffer::message) {
      fail(rank, number, "has what it receives in the wrong place");
    }
  }

  // Memory of a message under way may be read if the message only reads it, and nothing else.
  void check_untouched(Rank rank, std::uint32_t number) {
    const Step& step = step_of(rank, number);
    const std::vector<Slice>& slices = schedule_of(rank).slices;
    for (std::uint32_t other : of(rank).under_way) {
      const Step& message = step_of(rank, other);
      const bool is_read = message.kind == Kind::send;
      if (overlap(is_read ? written(step, slices) : touched(step, slices),
                  touched(message, slices))) {
        fail(rank, number, fmt::format("touches memory of step {}, still under way", other));
      }
    }
  }

  Extents read(Rank rank, std::uint32_t number, std::uint32_t first, std::uint32_t count) {
    Extents all;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Slice& slice = slices_of(rank, step_of(rank, number))[i];
      if (slice.size == 0) continue;
      const Extents part = of(rank).at(slice).read(slice.offset, slice.size);
      if (part.empty()) fail(rank, number, "reads memory nothing was written to");
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  Extents operand(Rank rank, std::uint32_t number, std::uint32_t which) {
    const bool comes = slices_of(rank, step_of(rank, number))[which].buffer == Buffer::message;
    return comes ? of(rank).carried[number] : read(rank, number, which, 1);
  }

  Extents combined(Rank rank, std::uint32_t number, const Extents& left, const Extents& right) {
    auto [result, complaint] = arithmetic_.combine(rank, left, right);
    if (!complaint.empty()) fail(rank, number, complaint);
    return result;
  }

  void check_result(Rank rank) {
    if (terms_.barrier) {
      const auto& heard = of(rank).heard;
      if (std::ranges::find(heard, false) != heard.end()) {
        error_ = fmt::format("rank {} leaves the barrier before all have arrived", rank);
      }
      return;
    }
    std::vector<Held> expected = terms_.after(rank, values());
    for (const Held& held : expected) check_held(rank, held);
    check_rest(rank, expected);
  }

  void check_held(Rank rank, const Held& held) {
    if (held.where.size == 0 || !error_.empty()) return;
    const Extents found = of(rank).at(held.where).read(held.where.offset, held.where.size);
    if (arithmetic_.products_of(found) == joined(held.what)) {
      if (terms_.same_bits) check_bits(rank, found);
      return;
    }
    const std::string have =
        found.empty() ? "something undefined"
                      : fmt::format("{} at element {}", values().describe(found.front().value),
                                    found.front().index);
    error_ = fmt::format("rank {}: out[{}, {}) should hold {} at element {}, but begins with {}",
                         rank, held.where.offset, held.where.end(),
                         values().describe(held.what.front().value), held.what.front().index, have);
  }

  // Whoever has combined it: the same operands in the same order, at the same places.
  void check_bits(Rank rank, const Extents& result) {
    if (rank == 0) {
      first_result_ = result;
    } else if (result != first_result_) {
      error_ = fmt::format("rank {}: the result is combined in another order than rank 0's", rank);
    }
  }

  // Parts of `out` that belong to no result hold what they held before.
  void check_rest(Rank rank, std::vector<Held>& expected) {
    std::ranges::sort(expected, {}, [](const Held& held) { return held.where.offset; });
    Units at = 0;
    const Units size = of(rank).sizes[static_cast<std::size_t>(Buffer::out)];
    expected.push_back({{Buffer::out, size, 0}, {}});
    RankMemory untouched = start(rank);
    for (const Held& held : expected) {
      const Slice gap{Buffer::out, at, held.where.offset - at};
      at = std::max(at, held.where.end());
      if (gap.size <= 0 || !error_.empty()) continue;
      const bool same = of(rank).at(gap).read(gap.offset, gap.size) ==
                            untouched.at(gap).read(gap.offset, gap.size) &&
                        of(rank).at(gap).defined_anywhere(gap.offset, gap.size) ==
                            untouched.at(gap).defined_anywhere(gap.offset, gap.size);
      if (!same) {
        error_ = fmt::format("rank {}: out[{}, {}) is no result, but was written", rank, gap.offset,
                             gap.end());
      }
    }
  }

  Terms terms_;
  const std::vector<Schedule>& schedules_;
  Arithmetic arithmetic_;
  std::vector<RankMemory> memory_;
  Extents first_result_;    // rank 0's
  Extents piece_;           // of the message being delivered
  std::vector<Made> made_;  // by reductions
  std::string error_;
};

}  // namespace

std::string verify(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules) {
  return Verifier(terms_of(call, in_place), schedules).verdict();
}

static Terms with_expressions(const Call& call, InPlace in_place) {
  Terms terms = terms_of(call, in_place);
  terms.keep_expressions = true;
  return terms;
}

std::vector<StepAt> reductions_of_several(const Call& call, InPlace in_place,
                                          const std::vector<Schedule>& schedules) {
  Verifier verifier(with_expressions(call, in_place), schedules);
  if (!verifier.verdict().empty()) return {};
  return verifier.reductions_of_several();
}

std::uint64_t fingerprint_of_results(const Call& call, InPlace in_place,
                                     const std::vector<Schedule>& schedules) {
  Verifier verifier(with_expressions(call, in_place), schedules);
  [[maybe_unused]] const std::string wrong = verifier.verdict();
  assert(wrong.empty());
  return verifier.fingerprint_of_results();
}

std::string verify_question(const Algorithm& algorithm, const Call& call,
                            const std::vector<Schedule>& schedules) {
  return Verifier(terms_of_question(algorithm, call), schedules).verdict();
}

}  // namespace tutti
