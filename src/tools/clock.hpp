// One clock for all ranks, so that what is measured has a common start.
#pragma once

#include <mpi.h>

namespace tutti::tools {

// Collective over `comm`, which must outlive it, as are its functions that say so.
class Clock {
 public:
  explicit Clock(MPI_Comm comm);

  // Collective. Compares the clocks of the ranks again: they drift apart.
  void synchronise();
  // Seconds, of rank 0's clock.
  double now() const { return PMPI_Wtime() - ahead_; }
  // By how much this rank's clock is ahead of rank 0's, in seconds.
  double ahead() const { return ahead_; }

  // Collective: seconds from a common start to when the slowest rank has done `work`, the same on
  // all ranks. Work is repeated if some rank was late at the start. Ranks of a program are not in
  // step, and some collectives are quick only if they are: every rank starts a share of its own of
  // `apart` seconds late, but no later than ranks that leave a barrier.
  template <class Work>
  double time(double apart, Work work) {
    constexpr int most_tries = 3;
    double seconds = 0;
    for (int i = 0; i < most_tries; ++i) {
      const Start start = meet(apart);
      work();
      if (is_valid(start, seconds)) break;
    }
    return seconds;
  }

 private:
  struct Start {
    double instant;  // the common start
    double needed;   // so long after the last rank came did this one know of it
  };
  Start meet(double apart);
  void wait_until(double instant) const;
  // Whether all were in time; `seconds` is what it took.
  bool is_valid(const Start& start, double& seconds);

  MPI_Comm comm_;
  int rank_ = 0, p_ = 1;
  double ahead_ = 0;
  double delay_ = 0;  // from when the last rank comes to the start; the same on all ranks
};

}  // namespace tutti::tools
