// The path every collective call takes: find what was prepared for calls like it, and run it.
#pragma once

#include <mpi.h>

#include "runtime/arguments.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

int serve(const Arguments& arguments, Communicator& state, Native native);

// What is known about the datatypes of a side: of all blocks alike, or of each.
struct Facts {
  const Datatype* all = nullptr;
  const Datatype* const* each = nullptr;

  bool known() const { return all != nullptr || each != nullptr; }
  const Datatype& of(int block) const { return each != nullptr ? *each[block] : *all; }
};

// Bytes of each of a side's blocks, appended.
void append_sizes(const Blocks& blocks, const Facts& facts, int p, Words& sizes);

// The slow way, once per shape of call: chooses, builds the schedule and lowers it; that of the
// algorithm's question if it has one and state.heard no answers.
std::unique_ptr<Prepared> prepare(const Arguments& arguments, Communicator& state, const Facts& in,
                                  const Facts& out, bool commutative);
// Bytes of the whole message, as selection and the report count them.
double message_bytes(const Arguments& arguments, const Communicator& state, const Facts& in,
                     const Facts& out);

}  // namespace tutti::runtime
