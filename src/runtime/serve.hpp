// The path every collective call takes: find what was prepared for calls like it, and run it.
#pragma once

#include <mpi.h>

#include "runtime/arguments.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

int serve(const Arguments& arguments, Communicator& state, Native native);

// The slow way, once per shape of call: chooses, builds the schedule and lowers it.
std::unique_ptr<Prepared> prepare(const Arguments& arguments, const Communicator& state,
                                  const Datatype* in, const Datatype* out, bool commutative);
// Bytes of the whole message, as selection and the report count them.
double message_bytes(const Arguments& arguments, const Communicator& state, const Datatype* in,
                     const Datatype* out);

}  // namespace tutti::runtime
