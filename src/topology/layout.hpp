// How n units are divided into p blocks, one rank's share each.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

class Layout {
 public:
  Layout() = default;
  // Blocks as equal as possible, the larger ones first. With n = p * b, every block has b units.
  Layout(Units n, int p) : share_(n / p), larger_(n % p), p_(p) {}
  // Blocks of given sizes, in rank order.
  explicit Layout(const std::vector<Units>& sizes) : p_(static_cast<int>(sizes.size())) {
    std::vector<Units> offsets{0};
    for (Units size : sizes) offsets.push_back(offsets.back() + size);
    offsets_ = std::make_shared<const std::vector<Units>>(std::move(offsets));
  }

  Units total() const { return offset(p_); }
  // Where block i starts; offset(p) is the end of the last block.
  Units offset(int i) const {
    if (offsets_) return (*offsets_)[static_cast<std::size_t>(i)];
    return i * share_ + (i < larger_ ? i : larger_);
  }
  Units size(int i) const { return offset(i + 1) - offset(i); }
  // Size of the largest block.
  Units largest() const {
    Units most = size(0);
    for (int i = 1; offsets_ && i < p_; ++i) most = std::max(most, size(i));
    return most;
  }

 private:
  std::shared_ptr<const std::vector<Units>> offsets_;
  Units share_ = 0;
  Units larger_ = 0;
  int p_ = 1;
};

}  // namespace tutti
