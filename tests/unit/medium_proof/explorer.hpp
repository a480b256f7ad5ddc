// Runs ranks that share memory in every order in which they can run, and with every value that a
// load may return by the memory model of C++.
//
// Ranks are coroutines of compiled code, not of a description of it: the compiler instruments all
// of its accesses to memory for a race detector (-fsanitize=thread), which the explorer takes the
// place of. So what is explored is the source that is shipped, with its orders of memory.
//
// - A word that is accessed atomically keeps all that was stored to it. A load returns what was
//   stored last or anything older that the rank need not know to be overwritten: stores wait in
//   buffers, loads come early. Acquire, release and seq_cst bound that as the standard says.
// - Other accesses, to entries, cells and lent memory, must be ordered by those of words: two of
//   different ranks to one line, one of them a write, are a race if not, and a race is a failure.
// - A rank that has looked in vain waits until there is something new in a word that it looked at.
//   When all that are left wait, that is a failure. So is a wrong value, which the ranks report.
// - Sleep ends when the rank is woken, or at any time by its time-out, which must not be needed.
//
// States that were met before (by 64 bits of hash) are not entered again. A state is what may yet
// be read of each word, other memory, and what the ranks are and have read since they last said so.
#pragma once

#include <cstddef>
#include <string>

namespace tutti::proof {

inline constexpr int most_ranks = 3;

struct Found {
  std::size_t states = 0, steps = 0;
  std::string failure;  // and the steps that led to it; empty: there is none
  bool is_exhaustive = true;
};
Found explore(int ranks, void (*run)(int me));

// For ranks: memory that they share, zero at first.
inline constexpr std::size_t shared_bytes = 10 << 10;
char* shared_memory();
// All that the rank does from here on depends on its state, which is these bytes and what it has
// allocated. What it loads from here on is what it waits for something new in, if in vain.
void begin_look(const void* state, std::size_t bytes);
void wait_for_change();
void expect(bool holds, const char* what);

}  // namespace tutti::proof
