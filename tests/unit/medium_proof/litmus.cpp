// What is known of C++'s memory model holds of the explorer's: outcomes that it forbids are not
// found, those that it allows are.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>

#include "explorer.hpp"

namespace tutti::proof {

namespace {

using Order = std::memory_order;
constexpr Order relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
                release = std::memory_order_release, seq_cst = std::memory_order_seq_cst;

template <class Value>
std::atomic<Value>& word(int number) {
  return *reinterpret_cast<std::atomic<Value>*>(shared_memory() + 256 * number);
}
auto flag(int number) { return &word<std::uint64_t>(number); }
int& datum() { return *reinterpret_cast<int*>(shared_memory() + 128); }

// Stores that wait in buffers: can both miss the other's?
template <Order store, Order load>
void both_store_then_load(int me) {
  flag(me)->store(1, store);
  const std::uint64_t found = flag(1 - me)->load(load);
  flag(2 + me)->store(found + 1, seq_cst);
  const std::uint64_t others = flag(3 - me)->load(seq_cst);
  expect(found != 0 || others != 1, "both miss the other's store");
}

template <Order store, Order load>
void message(int me) {
  if (me == 0) {
    datum() = 1;
    flag(0)->store(1, store);
  } else if (flag(0)->load(load) != 0) {
    expect(datum() == 1, "the flag comes before the datum");
  }
}

// The flag is there before it has a datum.
void message_behind_flag(int me) {
  if (me == 0) {
    flag(0)->store(1, release);
    datum() = 1;
  } else if (flag(0)->load(acquire) != 0) {
    expect(datum() == 1, "the flag comes before the datum");
  }
}

template <Order first, Order second>
void message_by_another(int me) {
  if (me == 0) {
    datum() = 1;
    flag(0)->store(1, first);
  } else if (me == 1) {
    if (flag(0)->load(acquire) != 0) flag(1)->store(1, second);
  } else if (flag(1)->load(acquire) != 0) {
    expect(datum() == 1, "the flag comes before the datum");
  }
}

template <int least>
void two_stores(int me) {
  if (me == 0) {
    flag(0)->store(1, relaxed);
    flag(0)->store(2, relaxed);
  } else {
    const std::uint64_t first = flag(0)->load(relaxed), second = flag(0)->load(relaxed);
    expect(second >= first, "a word's older store comes after its newer");
    expect(second >= least, "the newer store is missed");
  }
}

template <bool with_exchange>
void one_is_first(int me) {
  auto& turn = word<std::uint32_t>(0);
  const std::uint32_t before = with_exchange ? turn.exchange(1, relaxed) : turn.load(seq_cst);
  if (!with_exchange) turn.store(1, seq_cst);
  flag(2 + me)->store(before + 1, seq_cst);
  const std::uint64_t others = flag(3 - me)->load(seq_cst);
  expect(before != 0 || others != 1, "both are first");
}

template <bool comes>
void waits(int me) {
  if (me == 0) {
    if (comes) flag(0)->store(1, relaxed);
    return;
  }
  for (;;) {
    begin_look(&me, sizeof me);
    if (flag(0)->load(relaxed) != 0) return;
    wait_for_change();
  }
}

struct Litmus {
  const char* name;
  int ranks;
  void (*run)(int me);
  bool holds;
};
constexpr std::array litmuses{
    Litmus{"stores and loads, seq_cst", 2, both_store_then_load<seq_cst, seq_cst>, true},
    Litmus{"stores and loads, release", 2, both_store_then_load<release, seq_cst>, false},
    Litmus{"stores and loads, acquire", 2, both_store_then_load<seq_cst, acquire>, false},
    Litmus{"message", 2, message<release, acquire>, true},
    Litmus{"message, stored relaxed", 2, message<relaxed, acquire>, false},
    Litmus{"message, loaded relaxed", 2, message<release, relaxed>, false},
    Litmus{"message behind its flag", 2, message_behind_flag, false},
    Litmus{"message by another", 3, message_by_another<release, release>, true},
    Litmus{"message by another, relaxed at first", 3, message_by_another<relaxed, release>, false},
    Litmus{"message by another, then relaxed", 3, message_by_another<release, relaxed>, false},
    Litmus{"two stores", 2, two_stores<0>, true},
    Litmus{"two stores, one seen", 2, two_stores<1>, false},
    Litmus{"exchange", 2, one_is_first<true>, true},
    Litmus{"load and store", 2, one_is_first<false>, false},
    Litmus{"waiting", 2, waits<true>, true},
    Litmus{"waiting in vain", 2, waits<false>, false},
};

int run() {
  int wrong = 0;
  for (const Litmus& litmus : litmuses) {
    const Found found = explore(litmus.ranks, litmus.run);
    const bool is_right = found.failure.empty() == litmus.holds && found.is_exhaustive;
    if (!is_right) std::printf("wrong: %s\n%s", litmus.name, found.failure.c_str());
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

}  // namespace

}  // namespace tutti::proof

int main() { return tutti::proof::run(); }
