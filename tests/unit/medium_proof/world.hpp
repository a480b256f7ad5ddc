// What ranks share, and the memory model by which they do: of explorer.hpp.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explorer.hpp"

namespace tutti::proof {

inline constexpr std::size_t line_bytes = 128, stack_bytes = 2 << 10, heap_bytes = 1 << 10;
inline constexpr int most_words = 24, most_of_word = 8;
inline constexpr std::size_t most_events = 1000;

// When a word was stored: 0 for the oldest that may yet be read, and one more with each store to
// it.
using Time = std::uint8_t;
using View = std::array<Time, most_words>;            // of what a rank knows, by word
using Clock = std::array<std::uint16_t, most_ranks>;  // of accesses that came before, by rank
using Hash = std::uint64_t;

struct Store {
  std::uint64_t value = 0;
  View view{};  // that who acquires it gets
  Clock clock{};
};

struct Word {
  Time last = 0, last_seq_cst = 0;
  std::uint8_t writer = 0;                   // its only one's number, and one; 0: none yet
  std::array<Store, most_of_word> stores{};  // by time; at first there is a zero
};

// Of memory that is not accessed atomically: when it was, last.
struct Line {
  std::uint8_t writer = 0;
  std::uint16_t written = 0;
  Clock read{};
  bool has_changed = false;  // since its hash was taken, with that of what lies there
  Hash hash = 0;
};

enum class Kind : std::uint8_t { load, store, exchange, wait, sleep, asleep, woken, end };

struct Step {
  Kind kind = Kind::end;
  std::uint8_t word = 0;
  int order = 0;
  std::uint64_t value = 0;
};

struct Rank {
  ucontext_t context;
  Step next;  // that it is about to take
  std::uint64_t result;
  View view, must_see;
  Clock clock;
  Hash history;             // of what it has done since it was known as a whole
  std::uint32_t looked_at;  // words, a bit each, since then;
  View unread;              // and the first store of each behind what it found
  bool has_released;        // since it last accessed other memory
  std::size_t heap_used;
};

// All that changes while ranks run: copied, and copied back, as a whole.
struct World {
  alignas(line_bytes) char shared[shared_bytes];
  alignas(64) char stacks[most_ranks][stack_bytes];
  alignas(64) char heaps[most_ranks][heap_bytes];
  std::array<Rank, most_ranks> ranks;
  std::array<Word, most_words> words;
  std::array<Line, shared_bytes / line_bytes> lines;
  std::size_t events;
};

extern World world;
extern int ranks_of_world, running;                  // running: the rank, or -1
extern std::array<std::size_t, most_words> word_at;  // offsets in shared memory
extern int words_known;
extern std::string failure;

// What is known of the words that a rank loads. A search that learns more begins again.
enum class Reads : std::uint8_t { never, seq_cst, weakly };
extern std::array<std::array<Reads, most_ranks>, most_words> readers;
extern bool has_learnt;
// Whether a store was forgotten though it might have been read.
extern bool is_bounded;

struct Event {
  int rank;
  Step step;
  std::uint64_t result;
};
extern std::vector<Event> events;

inline Rank& current() { return world.ranks[static_cast<std::size_t>(running)]; }

// --- for ranks

std::uint8_t word_of(const volatile void* address);
// The rank lets others run, and goes on when it is its turn to take that step.
std::uint64_t take(const Step& step);
std::uint64_t access(Kind kind, const volatile void* address, std::uint64_t value, int order);
void store_of_one_writer(const volatile void* address, std::uint64_t value, int order);
void wake_who_sleeps(const volatile void* address);
// An access that is not atomic.
void touch(const volatile void* address, std::size_t bytes, bool writes);
// Ends the exploration: of what is explored, or of the explorer itself.
void fail(const char* what, std::size_t at = 0);
[[noreturn]] void out_of(const char* what);

// --- for the explorer

void leave();
void resume(std::size_t rank);
void load(Rank& rank, const Step& step, Time time);
void store(Rank& rank, const Step& step);
void note_event(const Step& step, std::uint64_t result);
std::string what_happened();
void forget_what_none_may_read();
void mix(Hash& hash, std::uint64_t value);
void mix_bytes(Hash& hash, const void* from, std::size_t bytes);
Hash hash_of_world();

}  // namespace tutti::proof
