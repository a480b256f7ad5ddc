// The same call once more, without any collective: a third opinion when two libraries differ.
#pragma once

#include "memory.hpp"

namespace tutti::fuzz {

// Data movement: each block as a message of its own. `source` is what is sent; if the call is in
// place, that is `receive` over a copy of the buffer.
int move_by_messages(const Call& call, int rank, const Argument& source, const Argument& receive,
                     MPI_Comm comm);

// Reductions: what ranks [0, last] contribute, combined one after the other in order, becomes
// elements [first, first + count) of the result at `address`.
void reduce_in_order(const Call& call, int last, long first, long count, const Operand& operand,
                     MPI_Op op, std::byte* address);

}  // namespace tutti::fuzz
