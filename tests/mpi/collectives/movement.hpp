// What checks of the collectives that move data have in common.
#pragma once

#include "call.hpp"

namespace tutti::test {

// What `rank` sends from leaf `first` of its stream on.
inline auto stream(const Call& call, int rank, long first = 0) {
  const Seed seed = call.seed + call.comm->salt;
  return [=](long k) { return movement_value(seed, rank, first + k); };
}

inline bool in_place(const Call& call) { return call.placement == Placement::in_place; }

// The arguments a rank passes where MPI says they are not significant.
struct Ignored {
  void* address;
  int count;
  MPI_Datatype type;
};

inline Ignored ignored(const Call& call, const Argument& valid) {
  if (call.null_ignored()) return {nullptr, -1, MPI_DATATYPE_NULL};
  return {valid.address, valid.count, valid.type};
}

// With MPI_IN_PLACE as a send or receive buffer, its count and datatype are ignored.
inline Ignored in_place_arguments(const Call& call, const Argument& valid) {
  Ignored result = ignored(call, valid);
  result.address = MPI_IN_PLACE;
  return result;
}

}  // namespace tutti::test
