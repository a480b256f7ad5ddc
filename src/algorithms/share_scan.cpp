#include "algorithms/share_scan.hpp"

#include "algorithms/digits.hpp"

namespace tutti::phase {

namespace {

class SharedScan {
 public:
  SharedScan(const Call& call, Rank me, ScheduleBuilder& out)
      : call_(call),
        me_(me),
        inclusive_(call.collective == Collective::scan),
        out_(out),
        shares_(call.n(), call.p),
        values_(static_cast<std::size_t>(call.p)) {}

  void write() {
    if (call_.p == 1) {
      if (inclusive_) out_.copy(call_.input(me_), call_.output(me_));
      return;
    }
    collect_operands();
    combine();
    hand_out_prefixes();
  }

 private:
  Slice share(const Slice& whole, Rank of) const {
    const Rank v = call_.wrapped(of);
    return part(whole, shares_.offset(v), shares_.size(v));
  }
  Slice& value(Rank of) { return values_[static_cast<std::size_t>(call_.wrapped(of))]; }

  // A place in scratch for a share of any rank, for each distance.
  std::function<Slice(int d, Units size)> places() {
    const Units largest = shares_.size(0);
    const Slice all = out_.scratch((call_.p - 1) * largest);
    return [=](int d, Units size) { return part(all, (d - 1) * largest, size); };
  }

  // The last rank's operand belongs to no exclusive prefix.
  bool is_operand(Rank of) const { return inclusive_ || call_.wrapped(of) < call_.p - 1; }
  // Nobody is before rank 0.
  bool has_before(Rank v) const { return call_.wrapped(v) > 0; }

  void collect_operands() {
    const Slice own = call_.input(me_);
    const auto place = places();
    const auto size = [&](Rank from, Rank to) {
      return is_operand(from) ? shares_.size(call_.wrapped(to)) : 0;
    };
    digit_hops(
        call_, me_, [&](int d) { return part(share(own, me_ + d), 0, size(me_, me_ + d)); },
        [&](int d, Rank from) { return place(d, size(from, from + d)); }, out_);
    value(me_) = share(own, me_);
    for (int d = 1; d < call_.p; ++d) value(me_ - d) = place(d, size(me_ - d, me_));
  }

  // The own operand lies in the input, which is only read.
  void combine() {
    for (Rank v = 1; v < call_.p && is_operand(v); ++v) {
      const Slice operand = value(v);
      if (v == me_) value(v) = out_.scratch(operand.size);
      out_.reduce(value(v - 1), operand, value(v));
    }
  }

  // Of this rank's share, what rank v gets.
  Slice prefix(Rank v) {
    if (!has_before(v)) return {};
    return value(inclusive_ ? v : v - 1);
  }

  // A share that takes several hops may be larger than the one whose place it would pass through.
  void hand_out_prefixes() {
    const Slice result = call_.output(me_);
    const bool lands_in_result = call_.parameter >= call_.p;
    const auto place = lands_in_result ? nullptr : places();
    const auto landing = [&](int d, Rank from) {
      if (!has_before(from + d)) return Slice{};
      return lands_in_result ? share(result, from) : place(d, shares_.size(from));
    };
    digit_hops(
        call_, me_, [&](int d) { return prefix(me_ + d); }, landing, out_);
    if (!has_before(me_)) {
      if (inclusive_) out_.copy(call_.input(me_), result);
      return;
    }
    out_.copy(prefix(me_), share(result, me_));
    for (int d = 1; d < call_.p && !lands_in_result; ++d) {
      const Slice landed = share(result, me_ - d);
      out_.copy(place(d, landed.size), landed);
    }
  }

  const Call& call_;
  Rank me_;
  bool inclusive_;
  ScheduleBuilder& out_;
  Layout shares_;
  std::vector<Slice> values_;  // by rank: its operand, then its prefix
};

}  // namespace

void scan_by_shares(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::all_at_once);  // nobody waits for the first of them more than for the last
  SharedScan(call, me, out).write();
}

void scan_by_windows(const Call& call, Rank me, ScheduleBuilder& out) {
  out.pace(Pace::round_by_round, call.parameter);
  Call straight = call;
  straight.parameter = call.p;
  SharedScan(straight, me, out).write();
}

}  // namespace tutti::phase
