// Communicators of random ranks in random order. Some live for many cases, others for one.
#pragma once

#include <optional>
#include <vector>

#include "run.hpp"

namespace tutti::fuzz {

// Who is in the communicator of a case: world ranks, in its order. The same on all ranks.
std::vector<int> draw_members(Seed seed, long number, int world_size);

// Owns the communicators; destroy before MPI_Finalize. Collective over MPI_COMM_WORLD.
class CommPool {
 public:
  explicit CommPool(Seed seed) : seed_(seed) {}
  ~CommPool();
  CommPool(const CommPool&) = delete;
  CommPool& operator=(const CommPool&) = delete;

  // This rank's place in the communicator of case `number`, if it has one. The communicator is
  // made unless it still lives from an earlier case.
  std::optional<Group> get(long number);

 private:
  struct Slot {
    long generation = -1;
    MPI_Comm comm = MPI_COMM_NULL;
  };

  Seed seed_;
  std::vector<Slot> slots_;
};

}  // namespace tutti::fuzz
