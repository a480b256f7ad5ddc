// How a rank waits for others of its node.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti {

enum class Waits : std::uint8_t {
  spinning,  // the processor is its own
  yielding,  // and is others' too, while nothing comes
  asleep,    // ranks outnumber processors
};

// "spin", "yield" or "sleep", the form of TUTTI_WAIT; empty: none of them. Throws
// std::invalid_argument naming them.
std::optional<Waits> parse_waits(std::string_view text);

inline void pause_a_moment() {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#elif defined __aarch64__
  asm volatile("yield");
#endif
}

// Lets others have the processor.
void yield_processor();
// Sleeps while the word has this value, until it is woken up or a while is over.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value);
// Sets the word to 0 and wakes who sleeps.
void wake_up(std::atomic<std::uint32_t>& word);

}  // namespace tutti
