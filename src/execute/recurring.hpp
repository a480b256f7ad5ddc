// What comes again on a communicator: calls that are worth a schedule, layouts of blocks that are
// worth a choice of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace tutti {

// Both ask about what all ranks know of a call. Ranks of a communicator make the same calls in the
// same order, and so get the same answers.
class RecurringCalls {
 public:
  static constexpr std::size_t remembered = 4096;

  struct Shape {
    bool came_before = false;
    bool is_native = false;  // such calls are, whatever else they say
  };

  // Whether there is no room for such calls.
  bool is_full_without(std::uint64_t shape) const {
    return shapes_.size() == remembered && !shapes_.contains(shape);
  }
  // What is known of such calls, by a hash of what all ranks know of them. Valid until the next.
  Shape& meet(std::uint64_t shape) {
    const auto [found, is_new] = shapes_.try_emplace(shape);
    if (!is_new) found->second.came_before = true;
    return found->second;
  }
  void clear() { shapes_.clear(); }

 private:
  std::unordered_map<std::uint64_t, Shape> shapes_;
};

class RecurringLayouts {
 public:
  // A choice takes up to 0.2 s (select/simulations.hpp): a program that makes new layouts all the
  // time, and uses each a few times, is not to pay that for ever.
  static constexpr std::size_t most = 32;
  static constexpr std::size_t remembered = 64;  // that came once

  // Whether a layout has been here before, by a hash of it that is not 0.
  bool recurs(std::uint64_t layout) {
    if (recurring_.contains(layout)) return true;
    if (recurring_.size() == most) return false;
    if (std::ranges::find(once_, layout) != once_.end()) {
      recurring_.insert(layout);
      return true;
    }
    once_[next_++ % remembered] = layout;
    return false;
  }

 private:
  std::array<std::uint64_t, remembered> once_{};  // the last ones; 0: none
  std::size_t next_ = 0;
  std::unordered_set<std::uint64_t> recurring_;
};

}  // namespace tutti
