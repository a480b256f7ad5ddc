// Calls whose two sides on this rank differ in size, or are one buffer.
//
// MPI forbids both, and libraries answer with an error or make do. No other rank can tell, so this
// one takes part as always. What it sends itself is copied apart from the schedule, which then sees
// a call in place: nothing is touched but what the rank's own arguments name.
#pragma once

#include <memory>

#include "runtime/communicator.hpp"

namespace tutti::runtime {

// Whether the call is one of these.
bool differs_from_itself(const Arguments& arguments, const CallFacts& facts, int rank);

// Such a call made into one that a schedule serves.
class OwnBlock {
 public:
  OwnBlock(Arguments& arguments, CallFacts& facts, Communicator& state);
  // After the schedule: copies what had to wait. MPI_SUCCESS, or the library's error.
  int finish();

 private:
  void copy();
  void pack_input(Arguments& arguments, CallFacts& facts);

  Communicator& state_;
  Elements from_, to_;
  std::unique_ptr<char[]> packed_;  // input of an all-to-all, in blocks of the output's size
  bool waits_ = false;
  int error_ = MPI_SUCCESS;
};

}  // namespace tutti::runtime
