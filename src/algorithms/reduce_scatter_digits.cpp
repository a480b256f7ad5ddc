#include <algorithm>

#include "algorithms/digits.hpp"

namespace tutti::phase {

namespace {

// A rank's partial results by offset, the distance to the rank they are for. Those that stay are
// stored in the order in which they will leave.
class Partials {
 public:
  Partials(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out)
      : call_(call),
        me_(me),
        result_(result),
        out_(out),
        order_(by_lowest_digits(call.p, call.parameter)) {
    at_.reserve(order_.size());
    for (int d = 0; d < call.p; ++d) at_.push_back(call.input_block(me + d));
  }

  void send(Round& round, const DigitStep& step) {
    round.send(values(joined_by(step), step.distance()), me_ + step.distance());
  }

  void receive(Round& round, const DigitStep& step, bool is_last) {
    const std::vector<int> joined = joined_by(step);
    const Slices before = values(joined, 0);
    if (step.digit == 1) move(staying_after(step), step.distance());
    const Slices now = values(joined, 0);
    if (now.empty()) return;
    const Slices landing = step.digit == 1 ? now : Slices{spare(step.digit, size_of(now))};
    round.recv(landing, me_ - step.distance());
    if (is_last) return finish(landing.front(), before.front());
    out_.reduce(landing, before, now);
  }

 private:
  std::vector<int> staying_after(const DigitStep& step) const {
    const Units cycle = Units{step.weight} * step.radix;
    return {order_.begin(), order_.begin() + (call_.p + cycle - 1) / cycle};
  }

  // Those that are joined in this round, each by the one `distance` beyond.
  std::vector<int> joined_by(const DigitStep& step) const {
    std::vector<int> offsets = staying_after(step);
    std::erase_if(offsets, [&](int d) { return d + step.distance() >= call_.p; });
    return offsets;
  }

  Slice& at(int d) { return at_[static_cast<std::size_t>(d)]; }
  // Without empty ones, of which there are many where elements are fewer than ranks.
  Slices values(const std::vector<int>& offsets, int shift) {
    Slices pieces;
    for (const int d : offsets) {
      if (at(d + shift).size > 0) pieces.push_back(at(d + shift));
    }
    return pieces;
  }

  // To where the first to join them land. One that is not joined goes there as it is, if there are
  // others to lie beside.
  void move(const std::vector<int>& staying, int distance) {
    const Units together = size_of(values(staying, 0));
    for (const int d : staying) {
      if (at(d).size == 0) continue;
      const bool is_joined = d + distance < call_.p;
      if (!is_joined && at(d).size == together) continue;
      const Slice place = out_.scratch(at(d).size);
      if (!is_joined) out_.copy(at(d), place);
      at(d) = place;
    }
  }

  // Where others land: each message of a turn elsewhere, as all are under way together. The first
  // turn needs most memory.
  Slice spare(int digit, Units size) {
    const auto i = static_cast<std::size_t>(digit);
    if (spares_.size() <= i) spares_.resize(i + 1);
    if (spares_[i].size == 0) spares_[i] = out_.scratch(size);
    return part(spares_[i], 0, size);
  }

  void finish(const Slice& received, const Slice& own) {
    const Slice sum = out_.apart(result_, {own});
    out_.reduce(received, own, sum);
    out_.copy(sum, result_);
  }

  const Call& call_;
  Rank me_;
  Slice result_;
  ScheduleBuilder& out_;
  std::vector<int> order_;
  std::vector<Slice> at_;
  std::vector<Slice> spares_;
};

}  // namespace

void reduce_scatter_digits(const Call& call, Rank me, const Slice& result, ScheduleBuilder& out) {
  if (call.p == 1) return out.copy(call.input(me), result);
  const int farthest = digit_steps(call.p, call.parameter).back().distance();
  Partials partials(call, me, result, out);
  digit_turns(
      call, [&](Round& round, const DigitStep& step) { partials.send(round, step); },
      [&](Round& round, const DigitStep& step) {
        partials.receive(round, step, step.distance() == farthest);
      },
      out);
}

}  // namespace tutti::phase
