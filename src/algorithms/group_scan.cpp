#include "algorithms/group_scan.hpp"

#include <optional>

namespace tutti::phase {

namespace {

// Whether `rank` is asked for the product of the 2^(k+1) ranks around it. A group hands it to the
// one behind, which may pass it to ranks before: all that is done if the rank as far into the next
// group as this one is into its own exists.
bool is_needed(Rank rank, int k, int p) { return rank + (2 << k) < p; }

// What a rank knows: the product of its group, and of those in it that come before the rank.
class Known {
 public:
  Known(const Call& call, Rank me, ScheduleBuilder& out)
      : out_(out), product_(call.input(me)), target_(call.output(me)) {
    if (call.collective == Collective::scan) prefix_ = product_;
    place_ = out.apart(target_, {product_});
  }

  const Slice& product() const { return product_; }

  // Where the next product arrives. The first of a group before this one is all the prefix there
  // is.
  Slice landing(bool from_before) {
    if (!from_before || prefix_) return next_of(landings_);
    prefix_ = place_;
    return place_;
  }
  bool is_prefix(const Slice& received) const { return prefix_ == received; }

  void put_product_before(const Slice& received) { multiply(received, product_); }
  void put_product_behind(const Slice& received) { multiply(product_, received); }

  void put_before_prefix(const Slice& received) {
    out_.reduce(received, *prefix_, place_);
    prefix_ = place_;
  }

  void settle() {
    if (prefix_) out_.copy(*prefix_, target_);
  }

 private:
  // Two places in scratch, by turns: the one before is still in use.
  struct Places {
    Slice place[2];
    int turn = 0;
  };

  Slice next_of(Places& places) {
    Slice& place = places.place[places.turn ^= 1];
    if (place.size == 0) place = out_.scratch(product_.size);
    return place;
  }

  void multiply(const Slice& left, const Slice& right) {
    const Slice into = next_of(products_);
    out_.reduce(left, right, into);
    product_ = into;
  }

  ScheduleBuilder& out_;
  Slice product_, target_, place_;
  std::optional<Slice> prefix_;
  Places landings_, products_;
};

}  // namespace

void scan_by_groups(const Call& call, Rank me, ScheduleBuilder& out) {
  Known known(call, me, out);
  std::optional<Slice> for_prefix;  // from the round before: it is put to use while messages travel
  const auto use = [&] {
    if (for_prefix) known.put_before_prefix(*for_prefix);
    for_prefix.reset();
  };
  for (int k = 0; (1 << k) < call.p; ++k) {
    const Rank peer = me ^ (1 << k);
    Round round = out.round();
    if (peer >= call.p) continue;
    const bool is_upper = peer < me;
    const bool needed = is_needed(me, k, call.p);
    if (!is_upper || is_needed(peer, k, call.p)) round.send(known.product(), peer);
    if (!is_upper && !needed) continue;
    const Slice received = known.landing(is_upper);
    round.recv(received, peer);
    use();
    if (needed && is_upper) known.put_product_before(received);
    if (needed && !is_upper) known.put_product_behind(received);
    if (is_upper && !known.is_prefix(received)) for_prefix = received;
  }
  use();
  known.settle();
}

}  // namespace tutti::phase
