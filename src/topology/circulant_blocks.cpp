#include "topology/circulant_blocks.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "topology/circulant.hpp"

namespace tutti {

namespace {

constexpr int end = -1;

// The smallest skip of the rank's greedy decomposition into skips; q for rank 0.
int base_block(const std::vector<int>& skips, Rank rank) {
  int k = static_cast<int>(skips.size()) - 1;
  while (rank > 0) {
    --k;
    if (skips[static_cast<std::size_t>(k)] <= rank) rank -= skips[static_cast<std::size_t>(k)];
  }
  return k;
}

// Finds, in O(q) steps, sums of distinct skips that lead from the root to the rank, each ending one
// round's skip before it.
class Search {
 public:
  Search(const std::vector<int>& skips, Rank rank)
      : skips_(skips),
        q_(static_cast<int>(skips.size()) - 1),
        base_(base_block(skips, rank)),
        target_(skips.back() + rank),
        next_(skips.size() + 1, end),
        previous_(skips.size() + 1, end),
        found_(static_cast<std::size_t>(q_)) {
    int last = end;
    for (int e = q_; e >= 0; --e) {
      if (e == base_) continue;
      previous_[index(e)] = last;
      (last == end ? first_ : next_[index(last)]) = e;
      last = e;
    }
  }

  std::vector<int> blocks() {
    visit(0, 2 * skips_.back(), first_);
    for (int& block : found_) block = block == q_ ? base_ : block - q_;
    return found_;
  }

 private:
  static std::size_t index(int e) { return static_cast<std::size_t>(e); }
  int skip(int k) const { return skips_[index(k)]; }

  void visit(int sum, int bound, int e) {
    for (; e != end && k_ < q_; e = next_[index(e)]) {
      const int longer = sum + skip(e);
      if (longer > target_ - skip(k_) || longer >= bound) continue;
      if (longer <= target_ - skip(k_ + 1)) visit(longer, bound, e);
      if (k_ == q_ || sum > target_ - skip(k_ + 1)) return;
      bound = longer;
      found_[index(k_++)] = e;
      unlink(e);
    }
  }

  void unlink(int e) {
    const int before = previous_[index(e)], after = next_[index(e)];
    (before == end ? first_ : next_[index(before)]) = after;
    if (after != end) previous_[index(after)] = before;
  }

  const std::vector<int>& skips_;
  int q_, base_, target_;
  std::vector<int> next_, previous_;
  int first_ = end;
  int k_ = 0;
  std::vector<int> found_;
};

}  // namespace

std::vector<int> circulant_receive_blocks(const std::vector<int>& skips, Rank rank) {
  if (skips.size() == 1) return {};
  return Search(skips, rank).blocks();
}

CirculantBlocks::CirculantBlocks(int p, Rank rank)
    : p_(p),
      q_(ceil_lg(p)),
      rank_(rank),
      skips_(circulant_skips(p)),
      recv_(circulant_receive_blocks(skips_, rank)) {
  for (int k = 0; k < q_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    send_.push_back(circulant_receive_blocks(skips_, (rank + skips_[at]) % p)[at]);
  }
}

std::shared_ptr<const std::vector<CirculantBlocks>> all_circulant_blocks(int p) {
  static auto& mutex = *new std::mutex;
  static auto& last = *new std::shared_ptr<const std::vector<CirculantBlocks>>;
  const std::lock_guard lock(mutex);
  if (last == nullptr || static_cast<int>(last->size()) != p) {
    std::vector<CirculantBlocks> all;
    all.reserve(static_cast<std::size_t>(p));
    for (Rank rank = 0; rank < p; ++rank) all.emplace_back(p, rank);
    last = std::make_shared<const std::vector<CirculantBlocks>>(std::move(all));
  }
  return last;
}

CirculantBlocks::Exchange CirculantBlocks::exchange(int round, int blocks) const {
  const int idle = (q_ - (blocks - 1) % q_) % q_;  // rounds left out at the beginning
  const int i = round + idle;
  const auto k = static_cast<std::size_t>(i % q_);
  const int shift = q_ * (i / q_) - idle;
  Exchange result{(rank_ + skips_[k]) % p_, (rank_ - skips_[k] + p_) % p_};
  const int sent = send_[k] + shift, received = recv_[k] + shift;
  if (sent >= 0 && result.to != 0) result.sent = std::min(sent, blocks - 1);
  if (received >= 0 && rank_ != 0) result.received = std::min(received, blocks - 1);
  return result;
}

}  // namespace tutti
