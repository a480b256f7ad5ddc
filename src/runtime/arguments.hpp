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

// The blocks of a side that has one for each rank, of sizes of their own, as the caller passed
// them: arrays with an entry per rank.
struct Blocks {
  Counts counts{};
  Counts displacements{};               // in extents of the datatype; with `types`, in bytes
  const MPI_Datatype* types = nullptr;  // null: all of the side's datatype
  bool displaced = false;               // displacements are given
};

// What this rank passed, reduced to what counts on this rank.
struct Arguments {
  Collective collective = Collective::barrier;
  MPI_Comm comm = MPI_COMM_NULL;
  Side in{};
  Side out{};
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  const Blocks* in_blocks = nullptr;  // null: the side is `count` elements, or as many per rank
  const Blocks* out_blocks = nullptr;
  bool in_place = false;
};

}  // namespace tutti::runtime
