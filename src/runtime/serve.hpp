// The path every collective call takes: find what was prepared for calls like it, and run it.
#pragma once

#include <mpi.h>

#include "algorithms/collective.hpp"
#include "runtime/collectives.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

// One side of a call: absent where MPI ignores it on this rank.
struct Side {
  void* address = nullptr;
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool present = false;
};

// What this rank passed, reduced to what counts on this rank.
struct Arguments {
  Collective collective;
  MPI_Comm comm;
  Side in{};
  Side out{};
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  Counts block_counts{};
  bool in_place = false;
};

int serve(const Arguments& arguments, Communicator& state, Native native);

// The slow way, once per shape of call: chooses, builds the schedule and lowers it.
std::unique_ptr<Prepared> prepare(const Arguments& arguments, const Communicator& state,
                                  const Datatype* in, const Datatype* out, bool commutative);
// Bytes of the whole message, as selection and the report count them.
double message_bytes(const Arguments& arguments, const Communicator& state, const Datatype* in,
                     const Datatype* out);

}  // namespace tutti::runtime
