// The memory that a communicator's ranks share with those of their node, and what is under way in
// it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "medium/carrier.hpp"
#include "medium/shared_object.hpp"

namespace tutti::runtime {

class NodeMemory {
 public:
  // Of rank `rank` of a communicator that carries Tutti's messages alone; its ranks are on these
  // nodes. Collective over it, and waits for all ranks. Null on all ranks of a node if one of them
  // cannot have it, or is alone there: their messages are then MPI's.
  static std::unique_ptr<NodeMemory> share(MPI_Comm shadow, int rank,
                                           const std::vector<std::uint64_t>& nodes);

  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  // Which of the node's ranks a rank of the communicator is; below 0: it is elsewhere.
  int neighbour(int rank) const { return neighbours_[static_cast<std::size_t>(rank)]; }
  Waits waits() const { return medium_.waits(); }
  Carrier& carrier() { return carrier_; }
  std::size_t bytes() const { return object_.bytes(); }

 private:
  NodeMemory(SharedObject object, std::vector<int> neighbours, int ranks, int me, Waits waits,
             SingleCopy single_copy);

  SharedObject object_;
  std::vector<int> neighbours_;
  Medium medium_;
  Carrier carrier_;
};

// Whether the user wants it: TUTTI_MEMORY=0 says no.
bool memory_is_wanted();

}  // namespace tutti::runtime
