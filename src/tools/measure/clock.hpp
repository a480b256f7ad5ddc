// One clock for all ranks, so that what is measured has a common start.
#pragma once

#include <mpi.h>

#include <optional>

namespace tutti::tools {

// How ranks begin what is measured: all at an instant, or each as it leaves MPI_Barrier. Then what
// the first ones send gets in the way of what the last ones wait for: they are out of step, as
// ranks of a program are, and some collectives are quick only in step. The library's own barrier,
// as programs have no other: who leaves it first decides between collectives too.
enum class Start { together, from_barrier };

// Collective: seconds of rank 0 for the library's own MPI_Barrier, the middle of a few, the same on
// all ranks. It tells whether the machine is as quick as usual.
double barrier_seconds(MPI_Comm comm);

// Bytes of messages that are long everywhere.
inline constexpr int long_enough = 256 << 10;

// Collective, so that connections are as in a program that has run for a while. Every pair of ranks
// talks, both ways, in messages of so many bytes: connections are made, and buffers grown. Takes
// two messages' memory.
void connect_all(MPI_Comm comm, int bytes);

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

  // For what takes so many seconds: from a barrier, unless ranks leave that at times too different.
  Start start_for(double seconds) const;
  // Collective: seconds that the slowest rank took for `work`, from the common start or from its
  // own, the same on all ranks. Work is repeated if some rank was late for a common start.
  template <class Work>
  double time(Start how, Work work) {
    constexpr int most_tries = 3;
    double seconds = 0;
    for (int i = 0; i < most_tries; ++i) {
      const Meeting meeting = how == Start::together ? meet() : leave_barrier();
      work();
      if (is_in_time(meeting, seconds)) break;
    }
    return seconds;
  }

 private:
  struct Meeting {
    double start;                  // this rank's
    std::optional<double> needed;  // so long after the last rank came did this one know of it
  };
  Meeting meet();
  Meeting leave_barrier() const;
  void wait_until(double instant) const;
  // Whether all knew before a common start; `seconds` is what it took.
  bool is_in_time(const Meeting& meeting, double& seconds);

  MPI_Comm comm_;
  int rank_ = 0, p_ = 1;
  double ahead_ = 0;
  double delay_ = 0;  // from when the last rank comes to a common start; the same on all ranks
};

}  // namespace tutti::tools
