// Finds what was prepared for calls like this one.
#pragma once

#include <memory>

#include "runtime/communicator.hpp"

namespace tutti::runtime {

// Whether a call says the same of its blocks as `words`, which were written down for one of the
// same collective.
bool have_blocks(const Blocks* in, const Blocks* out, int p, const Words& words);

std::uint64_t hash_of(const Words& words);

// Whether calls of this collective ask if their layout was there before.
bool may_recur(Collective collective);
// Whether all ranks know the sizes of the call's blocks, and had a call with such sizes before.
// `room` is overwritten.
bool recurs(const Arguments& arguments, const Facts& out, Communicator& state, Words& room);

// Prepared now, if need be. Writes facts.words.
std::shared_ptr<Prepared> prepared_for(const Arguments& arguments, CallFacts& facts,
                                       Communicator& state);

}  // namespace tutti::runtime
