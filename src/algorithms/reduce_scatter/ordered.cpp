// Reduce-scatter in ceil(lg p) rounds for any p, operand order kept (shared/ALGORITHMS.md, section
// 4).
//
// The partial result for rank me+d hops over doubling distances, as the bits of d say, and joins
// one that stays. It is always of the ranks up to its holder, modulo p. Where these wrap around,
// those up to p-1 and those from 0 on are two values; in the end they change places.
#include "algorithms/registry.hpp"
#include "topology/digits.hpp"

namespace tutti::catalog::reduce_scatter {

namespace {

// A rank's partial results by offset, the distance to the rank they are for. Those that stay are
// stored in the order in which they will leave.
class Partials {
 public:
  Partials(const Call& call, Rank me, ScheduleBuilder& out)
      : call_(call),
        me_(me),
        out_(out),
        order_(by_lowest_digits(call.p, 2)),
        upper_(order_.size()) {
    for (int d = 0; d < call.p; ++d) lower_.push_back(call.input_block(me + d));
  }

  // What is `weight` beyond a multiple of twice that leaves, and joins the multiple.
  void exchange(int weight) {
    const std::vector<int> joined = joined_at(weight);
    Round round = out_.round();
    round.send(leaving(joined, weight), me_ + weight);
    const Rank peer = call_.wrapped(me_ - weight);
    Slices received;
    for (const int d : joined) {
      if (!wraps(peer, d + weight, weight)) continue;
      upper_[index(d)] = out_.scratch(call_.block_size(me_ + d));
      received.push_back(upper_[index(d)]);
    }
    const std::size_t wrapped = received.size();
    for (const int d : joined) received.push_back(out_.scratch(call_.block_size(me_ + d)));
    round.recv(received, peer);
    for (std::size_t i = 0; i < joined.size(); ++i) {
      join(joined[i], weight, peer, received[wrapped + i]);
    }
    if (weight == 1) leave_input();
  }

  void finish() {
    const Slice result = call_.output(me_);
    if (wraps(me_, 0, call_.p)) {
      out_.reduce(lower_[0], upper_[0], result);
    } else {
      out_.copy(lower_[0], result);
    }
  }

 private:
  static std::size_t index(int d) { return static_cast<std::size_t>(d); }

  // Whether what `holder` has before the round of `weight` is two values.
  bool wraps(Rank holder, int d, int weight) const {
    return std::min(weight, call_.p - d) > holder + 1;
  }

  std::vector<int> joined_at(int weight) const {
    std::vector<int> offsets;
    for (const int d : order_) {
      if (d % (2 * weight) == 0 && d + weight < call_.p) offsets.push_back(d);
    }
    return offsets;
  }

  Slices leaving(const std::vector<int>& joined, int weight) const {
    Slices pieces;
    for (const int d : joined) {
      if (wraps(me_, d + weight, weight)) pieces.push_back(upper_[index(d + weight)]);
    }
    for (const int d : joined) pieces.push_back(lower_[index(d + weight)]);
    return pieces;
  }

  // What is received is of the ranks just before, up to `peer`.
  void join(int d, int weight, Rank peer, const Slice& received) {
    Slice& upper = upper_[index(d)];
    Slice& lower = lower_[index(d)];
    if (peer < me_) {
      out_.reduce(received, lower, received);
      lower = received;
    } else {
      if (wraps(me_, d, weight)) out_.reduce(received, upper, received);
      upper = received;
    }
  }

  // Messages are from one buffer.
  void leave_input() {
    for (int d = 0; d < call_.p; d += 2) {
      Slice& lower = lower_[index(d)];
      if (lower.buffer == Buffer::scratch) continue;
      const Slice place = out_.scratch(lower.size);
      out_.copy(lower, place);
      lower = place;
    }
  }

  const Call& call_;
  Rank me_;
  ScheduleBuilder& out_;
  std::vector<int> order_;
  std::vector<Slice> lower_, upper_;  // of ranks from 0 on; of those up to p-1, if it wraps around
};

}  // namespace

static void write(const Call& call, Rank me, ScheduleBuilder& out) {
  Partials partials(call, me, out);
  for (int weight = 1; weight < call.p; weight *= 2) partials.exchange(weight);
  partials.finish();
}

constexpr Algorithm ordered{
    .collective = Collective::reduce_scatter,
    .name = "ordered",
    .summary = "ceil(lg p) rounds for any p, operand order kept",
    .source = "ALGORITHMS.md 4",
    .rounds = "ceil(lg(p))",
    // 1.15 makes it a bound for every p, one that is met (tests/unit/costs.cpp).
    .cost =
        "ceil(lg(p))*alpha + min((floor(3/2*p) - 2)*largest, ceil(lg(p))*n)*beta"
        " + min((p == 2 ? 1/2 : 1.15)*p*largest, ceil(lg(p))*n)*gamma",
    .within = 1.3,
    .write = write,
};

}  // namespace tutti::catalog::reduce_scatter
