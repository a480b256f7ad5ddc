// The ranks as coroutines, and what their compiled code calls: for each access to memory, in place
// of the race detector; for system calls; and for memory of their own.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "world.hpp"

namespace tutti::proof {

namespace {

ucontext_t explorer;
const char* defect = nullptr;

}  // namespace

void leave() { swapcontext(&current().context, &explorer); }

// A defect of the proof itself, not of what is proved. Printed off the ranks' small stacks.
[[noreturn]] void out_of(const char* what) {
  defect = what;
  if (running >= 0) leave();
  std::abort();
}

void fail(const char* what, std::size_t at) {
  const int me = std::exchange(running, -1);  // the text is not the world's
  failure = "rank " + std::to_string(me) + ": " + what;
  if (at > 0) failure += " at " + std::to_string(at);
  running = me;
  leave();
}

void resume(std::size_t rank) {
  running = static_cast<int>(rank);
  swapcontext(&explorer, &world.ranks[rank].context);
  running = -1;
  if (std::ranges::count(std::span(world.stacks[rank]).first(line_bytes), 0) != line_bytes) {
    defect = "a rank's stack is too small";
  }
  if (defect != nullptr) {
    std::fprintf(stderr, "explorer: %s\n%s", defect, what_happened().c_str());
    std::abort();
  }
}

std::uint64_t take(const Step& step) {
  current().next = step;
  leave();
  return current().result;
}

// As late a call finds who sleeps again, which is as if its time were out.
void wake_who_sleeps(const volatile void* address) {
  const std::uint8_t word = word_of(address);
  for (Rank& rank : world.ranks) {
    if (rank.next.kind == Kind::asleep && rank.next.word == word) rank.next.kind = Kind::woken;
  }
}

std::uint64_t access(Kind kind, const volatile void* address, std::uint64_t value, int order) {
  if (running < 0) out_of("a word is accessed by no rank");
  const Step step{kind, word_of(address), order, value};
  return take(step);
}

// Who loads may find what was there before, so it is all the same when a word that no other rank
// writes is stored to; unless seq_cst says otherwise.
void store_of_one_writer(const volatile void* address, std::uint64_t value, int order) {
  const Step step{Kind::store, word_of(address), order, value};
  std::uint8_t& writer = world.words[step.word].writer;
  if (writer == 0) writer = static_cast<std::uint8_t>(running + 1);
  if (writer != running + 1) return fail("writes a word of another rank");
  if (order == __ATOMIC_SEQ_CST) {
    take(step);
  } else {
    store(current(), step);
    note_event(step, 0);
  }
}

}  // namespace tutti::proof

using tutti::proof::Kind;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define TUTTI_ACCESSES(bytes)                                                            \
  void __tsan_read##bytes(void* at) { tutti::proof::touch(at, bytes, false); }           \
  void __tsan_write##bytes(void* at) { tutti::proof::touch(at, bytes, true); }           \
  void __tsan_unaligned_read##bytes(void* at) { tutti::proof::touch(at, bytes, false); } \
  void __tsan_unaligned_write##bytes(void* at) { tutti::proof::touch(at, bytes, true); }
TUTTI_ACCESSES(1)
TUTTI_ACCESSES(2)
TUTTI_ACCESSES(4)
TUTTI_ACCESSES(8)
TUTTI_ACCESSES(16)
void __tsan_read_range(void* at, std::size_t bytes) { tutti::proof::touch(at, bytes, false); }
void __tsan_write_range(void* at, std::size_t bytes) { tutti::proof::touch(at, bytes, true); }

// So called by Clang only.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  tutti::proof::touch(from, bytes, false);
  tutti::proof::touch(to, bytes, true);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  tutti::proof::touch(to, bytes, true);
  return std::memset(to, value, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  tutti::proof::touch(from, bytes, false);
  tutti::proof::touch(to, bytes, true);
  return std::memmove(to, from, bytes);
}

std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t* at, int order) {
  return tutti::proof::access(Kind::load, at, 0, order);
}
void __tsan_atomic64_store(volatile std::uint64_t* at, std::uint64_t value, int order) {
  tutti::proof::store_of_one_writer(at, value, order);
}
std::uint32_t __tsan_atomic32_load(const volatile std::uint32_t* at, int order) {
  return static_cast<std::uint32_t>(tutti::proof::access(Kind::load, at, 0, order));
}
void __tsan_atomic32_store(volatile std::uint32_t* at, std::uint32_t value, int order) {
  tutti::proof::access(Kind::store, at, value, order);
}
std::uint32_t __tsan_atomic32_exchange(volatile std::uint32_t* at, std::uint32_t value, int order) {
  return static_cast<std::uint32_t>(tutti::proof::access(Kind::exchange, at, value, order));
}

// The system's: what waiting.cpp calls.
long explored_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  const auto* const at = va_arg(arguments, const volatile std::uint32_t*);
  const int what = va_arg(arguments, int);
  const auto value = va_arg(arguments, std::uint32_t);
  va_end(arguments);
  if (number != SYS_futex) tutti::proof::out_of("an unknown system call");
  if (what == FUTEX_WAIT) {
    tutti::proof::access(Kind::sleep, at, value, 0);
  } else {
    tutti::proof::wake_who_sleeps(at);
  }
  return 0;
}
}

// What ranks allocate belongs to the world, and goes with it.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  using namespace tutti::proof;
  if (running < 0) {
    if (void* const at = std::malloc(bytes)) return at;
    throw std::bad_alloc();
  }
  std::size_t& used = current().heap_used;
  char* const at = world.heaps[running] + used;
  used += (bytes + 15) / 16 * 16;
  if (used > heap_bytes) out_of("ranks allocate too much");
  return at;
}
[[gnu::noinline]] void operator delete(void* at) noexcept {
  const auto in_heap =
      static_cast<std::size_t>(static_cast<char*>(at) - tutti::proof::world.heaps[0]);
  if (in_heap >= sizeof tutti::proof::world.heaps) std::free(at);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
