// What ranks tell each other of an irregular call whose sizes none of them knows alone.
#pragma once

#include "runtime/communicator.hpp"

namespace tutti::runtime {

// In place of a size, of all blocks: the root's call is in error.
inline constexpr std::int64_t is_rejected = -1;

// The collective by which ranks tell each other `numbers`, in place. It borrows them.
Arguments telling(const Arguments& arguments, const Communicator& state, Words& numbers);

// What this rank has to tell: the root of a gather or scatter all sizes, a rank of an all-to-all
// its largest block and the more of what it sends and receives.
void write_sizes(const Arguments& arguments, const CallFacts& facts, int p, Words& numbers);

// Bytes of the blocks this rank sends: for a scatter's root all of them, for a gather its own.
void write_sent(const Arguments& arguments, const CallFacts& facts, int p, Words& numbers);

}  // namespace tutti::runtime
