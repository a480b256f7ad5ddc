// What a collective call passed on this rank.
#pragma once

#include <mpi.h>

#include "algorithms/collective.hpp"
#include "runtime/collectives.hpp"

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
  Collective collective = Collective::barrier;
  MPI_Comm comm = MPI_COMM_NULL;
  Side in{};
  Side out{};
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  Counts block_counts{};
  bool in_place = false;
};

}  // namespace tutti::runtime
