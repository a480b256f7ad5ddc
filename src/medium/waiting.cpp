#include "medium/waiting.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <stdexcept>
#include <string>
#include <utility>

namespace tutti {

// Messages from elsewhere may come meanwhile.
static constexpr long longest_sleep = 1'000'000;  // nanoseconds

std::optional<Waits> parse_waits(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Waits>, 3> known{
      {{"spin", Waits::spinning}, {"yield", Waits::yielding}, {"sleep", Waits::asleep}}};
  if (text.empty()) return std::nullopt;
  for (const auto& [name, waits] : known) {
    if (text == name) return waits;
  }
  throw std::invalid_argument("'" + std::string(text) +
                              "' is no way to wait; known are: spin, yield, sleep");
}

void yield_processor() { sched_yield(); }

void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec at_most{0, longest_sleep};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &at_most, nullptr, 0);
}

void wake_up(std::atomic<std::uint32_t>& word) {
  if (word.exchange(0, std::memory_order_seq_cst) != 0) {
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
}

}  // namespace tutti
