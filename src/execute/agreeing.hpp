// Before which calls ranks tell each other how long blocks are.
#pragma once

#include <algorithm>

namespace tutti {

// Not before every one: where what they said led to an algorithm that serves blocks of any length,
// the next calls are served by it too, and the more, the oftener it did. Ranks of a communicator
// make the same calls in the same order, and hear the same, so all go without in the same calls.
class AgreeingNowAndThen {
 public:
  // Calls without. Always even: in a program whose calls alternate, both kinds are seen.
  static constexpr int least = 8, most = 16;

  // Whether a call goes without.
  bool goes_without() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  // After ranks have agreed.
  void led_to_any_length(bool any_length) {
    calls_ = any_length ? std::clamp(2 * calls_, least, most) : 0;
    left_ = calls_;
  }

 private:
  int calls_ = 0, left_ = 0;
};

}  // namespace tutti
