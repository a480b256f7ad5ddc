#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verify/interpreter.hpp"
#include "verify/promise.hpp"
#include "verify/symbols.hpp"

namespace tutti {

namespace {

// What a rank that is not the root is told of the blocks: its own.
Layout own_block_only(const Layout& layout, int p, Rank rank) {
  std::vector<Units> sizes(static_cast<std::size_t>(p));
  sizes[static_cast<std::size_t>(rank)] = layout.size(rank);
  return Layout(sizes);
}

}  // namespace

Call call_of_rank(const Call& call, InPlace in_place, Rank rank) {
  Call mine = call;
  const CollectiveInfo& about = info(call.collective);
  if (about.rooted && about.irregular() && rank != call.root) {
    mine.layout = own_block_only(call.layout, call.p, rank);
  }
  if (call.exchange) {
    mine.layout = call.exchange->received_by(rank);
    mine.sends = call.exchange->sent_by(rank);
  }
  mine.in_place = in_place == InPlace::all || (in_place == InPlace::odd_ranks && rank % 2 == 1);
  if (about.rooted && rank != call.root) mine.in_place = false;
  return mine;
}

// By rank in the communicator.
static Units block_between(const Call& call, Rank from, Rank to) {
  if (call.exchange) return call.exchange->size(from, to);
  return call.layout.size(info(call.collective).regular == Collective::gather ? from : to);
}

static Agreed agreed_on(const Call& call) {
  Agreed result{call.n(), call.layout.largest()};
  for (Rank r = 0; call.exchange && r < call.p; ++r) {
    const Layout sent = call.exchange->sent_by(r), received = call.exchange->received_by(r);
    result.busiest = std::max({result.busiest, sent.total(), received.total()});
    result.largest = std::max(result.largest, sent.largest());
  }
  return result;
}

// In the communicator's numbering.
static std::vector<Pair> asked_about(const Algorithm& algorithm, const Call& call, Rank rank) {
  if (algorithm.question.about == nullptr) return {};
  std::vector<Pair> pairs =
      algorithm.question.about(with_parameter(algorithm, call), call.virtual_rank(rank));
  const auto named = [&](Rank v) { return (v + call.origin()) % call.p; };
  for (Pair& pair : pairs) pair = {named(pair.from), named(pair.to)};
  return pairs;
}

Call informed(const Algorithm& algorithm, const Call& call, InPlace in_place, Rank rank) {
  Call mine = call_of_rank(call, in_place, rank);
  if (algorithm.requires_.agreement) {
    mine.agreed = agreed_on(call);
    if (!call.exchange) mine.layout = call.layout;
  }
  for (const Pair& pair : asked_about(algorithm, call, rank)) {
    mine.told.push_back(block_between(call, pair.from, pair.to));
  }
  return mine;
}

bool allowed(Collective collective, InPlace in_place) {
  switch (info(collective).regular) {
    case Collective::barrier:
    case Collective::bcast:
      return in_place == InPlace::none;
    case Collective::gather:
    case Collective::scatter:
    case Collective::reduce:
    case Collective::alltoall:
      return in_place != InPlace::odd_ranks;
    default:
      return true;
  }
}

std::vector<Schedule> build_all(const Algorithm& algorithm, const Call& call, InPlace in_place) {
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(call.p));
  for (Rank r = 0; r < call.p; ++r) {
    schedules.push_back(build(algorithm, informed(algorithm, call, in_place, r), r));
  }
  return schedules;
}

std::vector<Schedule> build_all_questions(const Algorithm& algorithm, const Call& call) {
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(call.p));
  for (Rank r = 0; r < call.p; ++r) schedules.push_back(build_question(algorithm, call, r));
  return schedules;
}

namespace {

// The call as the standard describes it: what a rank is promised does not depend on what it is
// told.
Call as_promised(const Call& call, InPlace in_place, Rank rank) {
  Call mine = call_of_rank(call, in_place, rank);
  if (!call.exchange) mine.layout = call.layout;
  return mine;
}

// What ranks hold at first, and must hold in the end.
struct Terms {
  int p;
  bool commutative = true;
  bool barrier = false;
  std::function<std::array<Units, 2>(Rank)> sizes;  // of the input and the output
  std::function<std::vector<Held>(Rank, Products&)> before, after;
};

Terms terms_of(const Call& call, InPlace in_place) {
  return {call.p,
          call.commutative,
          call.collective == Collective::barrier,
          [&call, in_place](Rank rank) {
            const Call mine = call_of_rank(call, in_place, rank);
            const Rank me = mine.virtual_rank(rank);
            return std::array{mine.input_units(me), mine.output_units(me)};
          },
          [&call, in_place](Rank rank, Products& values) {
            return before(as_promised(call, in_place, rank), rank, values);
          },
          [&call, in_place](Rank rank, Products& values) {
            return after(as_promised(call, in_place, rank), rank, values);
          }};
}

Terms terms_of_question(const Algorithm& algorithm, const Call& call) {
  const Call sizes = about_sizes(call);
  const auto answers = [&algorithm, sizes](Rank rank, Products& values) {
    const bool own = info(sizes.collective).regular == Collective::gather;  // one size, its own
    std::vector<Held> result;
    for (const Pair& pair : asked_about(algorithm, sizes, rank)) {
      const Units at = static_cast<Units>(result.size());
      const Units index = own ? 0 : pair.to;
      result.push_back({{Buffer::out, at, 1}, {{values.of_ranks(pair.from, pair.from), index, 1}}});
    }
    return result;
  };
  return {.p = call.p,
          .sizes =
              [&algorithm, sizes](Rank rank) {
                const auto number = static_cast<Units>(asked_about(algorithm, sizes, rank).size());
                return std::array{sizes.input_units(sizes.virtual_rank(rank)), number};
              },
          .before = [sizes](Rank rank, Products& values) { return before(sizes, rank, values); },
          .after = answers};
}

struct RankMemory {
  std::array<SymbolicBuffer, 3> buffers;
  std::array<Units, 3> sizes{};
  std::vector<std::uint32_t> under_way;  // messages posted and not waited for
  std::vector<Extents> sent;             // per step: what a posted send carries
  std::vector<bool> heard;               // barrier: ranks this one knows have arrived
  std::vector<std::vector<bool>> told;   // barrier, per step: what a message says

  SymbolicBuffer& at(const Slice& slice) { return buffers[static_cast<std::size_t>(slice.buffer)]; }
};

// Reads extents from the first to the last, in parts.
class Reader {
 public:
  explicit Reader(const Extents& extents) : at_(extents.begin()), end_(extents.end()) {}

  bool at_end() const { return at_ == end_; }
  // Units left of the current extent.
  Units left() const { return at_->size - done_; }
  // The next units of the current extent, at most so many.
  Extent next(Units most) {
    const Extent part{at_->value, at_->index + done_, std::min(most, left())};
    done_ += part.size;
    if (done_ == at_->size) {
      ++at_;
      done_ = 0;
    }
    return part;
  }

 private:
  Extents::const_iterator at_, end_;
  Units done_ = 0;
};

class Verifier : public Observer {
 public:
  Verifier(Terms terms, const std::vector<Schedule>& schedules)
      : terms_(std::move(terms)), schedules_(schedules), values_(terms_.commutative) {
    for (Rank r = 0; r < terms_.p; ++r) memory_.push_back(start(r));
  }

  std::string verdict() {
    for (Rank r = 0; r < terms_.p && error_.empty(); ++r) check_form(r);
    if (!error_.empty()) return error_;
    const Run run =
        interpret(schedules_, {.alpha = 1, .beta = 0, .gamma = 0}, 1, Sends::blocking, *this);
    if (!error_.empty()) return error_;
    if (!run.error.empty()) return run.error;
    for (Rank r = 0; r < terms_.p && error_.empty(); ++r) check_result(r);
    return error_;
  }

  void posted(Rank rank, std::uint32_t number) override {
    RankMemory& memory = of(rank);
    const Step& step = step_of(rank, number);
    check_untouched(rank, number);
    if (step.kind == Kind::send) memory.sent[number] = read(rank, number, 0, step.pieces);
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
    Reader message(of(from).sent[send]);
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
    if (step_of(rank, number).kind != Kind::recv) return;
    for (std::size_t r = 0; r < memory.heard.size(); ++r) {
      if (memory.told[number][r]) memory.heard[r] = true;
    }
  }

  void computed(Rank rank, std::uint32_t number) override {
    check_untouched(rank, number);
    const Step& step = step_of(rank, number);
    const Slice& into = slices_of(rank, step)[step.pieces - 1];
    if (into.size == 0) return;
    const Extents left = read(rank, number, 0, 1);
    const Extents result =
        step.kind == Kind::copy ? left : combined(rank, number, left, read(rank, number, 1, 1));
    if (error_.empty()) of(rank).at(into).write(into.offset, result);
  }

 private:
  RankMemory& of(Rank rank) { return memory_[static_cast<std::size_t>(rank)]; }
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
    memory.sent.resize(steps);
    memory.told.resize(steps);
    memory.heard.resize(static_cast<std::size_t>(terms_.p));
    memory.heard[static_cast<std::size_t>(rank)] = true;
    for (const Held& held : terms_.before(rank, values_)) {
      if (held.where.size > 0) memory.at(held.where).write(held.where.offset, held.what);
    }
    for (const Slice& blank : schedule_of(rank).blank) {
      if (blank.size > 0) {
        memory.at(blank).write(blank.offset, {{values_.nothing(), 0, blank.size}});
      }
    }
    return memory;
  }

  // What can be seen without running: bounds, who is written, one port per round.
  void check_form(Rank rank) {
    const Schedule& schedule = schedule_of(rank);
    std::vector<int> sends(static_cast<std::size_t>(schedule.rounds));
    std::vector<int> recvs = sends;
    for (std::uint32_t i = 0; i < schedule.steps.size(); ++i) {
      const Step& step = schedule.steps[i];
      for (std::uint32_t piece = 0; piece < step.pieces; ++piece) check_slice(rank, i, piece);
      if (!step.is_message()) continue;
      if (step.round < 0 || step.round >= schedule.rounds) {
        fail(rank, i, "is in no round");
      } else if (++(step.kind == Kind::send ? sends : recvs)[static_cast<std::size_t>(step.round)] >
                 1) {
        fail(rank, i, fmt::format("is the second of its kind in round {}", step.round));
      }
    }
  }

  void check_slice(Rank rank, std::uint32_t number, std::uint32_t piece) {
    const Step& step = step_of(rank, number);
    const Slice& slice = slices_of(rank, step)[piece];
    const Units size = of(rank).sizes[static_cast<std::size_t>(slice.buffer)];
    if (slice.offset < 0 || slice.size < 0 || slice.end() > size) {
      fail(rank, number,
           fmt::format("[{}, {}) is outside the {} units of `{}`", slice.offset, slice.end(), size,
                       to_string(slice.buffer)));
    }
    if (step.is_message() && slice.buffer != slices_of(rank, step)[0].buffer) {
      fail(rank, number, "has pieces in two buffers");
    }
    const bool writes = step.kind == Kind::recv || (!step.is_message() && piece + 1 == step.pieces);
    if (writes && slice.buffer == Buffer::in && slice.size > 0) fail(rank, number, "writes `in`");
    const bool whole = step.is_message() || slice.size == slices_of(rank, step)[0].size;
    if (!whole) fail(rank, number, "operands differ in size");
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

  Extents combined(Rank rank, std::uint32_t number, const Extents& left_extents,
                   const Extents& right_extents) {
    Extents result;
    Reader left(left_extents), right(right_extents);
    while (!left.at_end() && !right.at_end()) {
      const Units size = std::min(left.left(), right.left());
      const Extent a = left.next(size), b = right.next(size);
      const ValueId value = values_.combine(a.value, b.value);
      if (a.index != b.index) fail(rank, number, "combines different elements");
      if (value < 0) {
        fail(rank, number,
             fmt::format("combines {} with {}: a rank twice", values_.describe(a.value),
                         values_.describe(b.value)));
      }
      result.push_back({value, a.index, size});
    }
    return joined(std::move(result));
  }

  void check_result(Rank rank) {
    if (terms_.barrier) {
      const auto& heard = of(rank).heard;
      if (std::ranges::find(heard, false) != heard.end()) {
        error_ = fmt::format("rank {} leaves the barrier before all have arrived", rank);
      }
      return;
    }
    std::vector<Held> expected = terms_.after(rank, values_);
    for (const Held& held : expected) check_held(rank, held);
    check_rest(rank, expected);
  }

  void check_held(Rank rank, const Held& held) {
    if (held.where.size == 0 || !error_.empty()) return;
    const Extents found = of(rank).at(held.where).read(held.where.offset, held.where.size);
    if (found == joined(held.what)) return;
    const std::string have =
        found.empty() ? "something undefined"
                      : fmt::format("{} at element {}", values_.describe(found.front().value),
                                    found.front().index);
    error_ = fmt::format("rank {}: out[{}, {}) should hold {} at element {}, but begins with {}",
                         rank, held.where.offset, held.where.end(),
                         values_.describe(held.what.front().value), held.what.front().index, have);
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
  Products values_;
  std::vector<RankMemory> memory_;
  Extents piece_;  // of the message being delivered
  std::string error_;
};

}  // namespace

std::string verify(const Call& call, InPlace in_place, const std::vector<Schedule>& schedules) {
  return Verifier(terms_of(call, in_place), schedules).verdict();
}

std::string verify_question(const Algorithm& algorithm, const Call& call,
                            const std::vector<Schedule>& schedules) {
  return Verifier(terms_of_question(algorithm, call), schedules).verdict();
}

}  // namespace tutti
