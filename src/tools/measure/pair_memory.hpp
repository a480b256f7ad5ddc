// Memory that two ranks of a node share, to measure what messages take through it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "medium/carrier.hpp"
#include "medium/shared_object.hpp"

namespace tutti::tools {

class PairMemory {
 public:
  // Of this rank of MPI_COMM_WORLD and its partner, which does the same. Ranks without a partner
  // are their own. Null on both if one cannot share.
  static std::unique_ptr<PairMemory> share(int rank, int partner);

  // Both send so many messages of so many bytes each, and have received the other's.
  void exchange(std::size_t bytes, int messages = 1);
  // Whether long messages are read where they lie.
  bool lends() const { return lends_; }

  static constexpr std::size_t most_bytes = 1 << 20;
  static constexpr int most_messages = entries_of_ring;

 private:
  PairMemory(SharedObject object, int me, SingleCopy single_copy, bool lends);

  SharedObject object_;
  int peer_;
  bool lends_;
  Medium medium_;
  Carrier carrier_;
  unsigned calls_ = 0;
  std::vector<char> out_, in_;
};

}  // namespace tutti::tools
