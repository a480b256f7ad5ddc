#include "tools/clock.hpp"

#ifdef TUTTI_SMPI
#include <simgrid/actor.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tutti::tools {

namespace {

constexpr int tag = 0;
constexpr int trips = 20;
// The start waits for somewhat longer than ranks needed lately.
constexpr double margin = 1.25;
constexpr double forgetting = 0.5;
// Of what is measured: a rank that started later by less makes no difference.
constexpr double negligible = 0.01;

}  // namespace

Clock::Clock(MPI_Comm comm) : comm_(comm) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &p_);
  synchronise();
  time(0, [] {});  // finds the delay
}

// Down a binomial tree, so that every rank learns from one that knows; the quickest of some round
// trips tells most.
void Clock::synchronise() {
  for (int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(p_))) / 2; distance > 0;
       distance /= 2) {
    const int place = rank_ % (2 * distance);
    if (place == 0 && rank_ + distance < p_) {
      for (int i = 0; i < trips; ++i) {
        PMPI_Recv(nullptr, 0, MPI_BYTE, rank_ + distance, tag, comm_, MPI_STATUS_IGNORE);
        const double answer = now();
        PMPI_Send(&answer, 1, MPI_DOUBLE, rank_ + distance, tag, comm_);
      }
    } else if (place == distance) {
      double least = std::numeric_limits<double>::max();
      for (int i = 0; i < trips; ++i) {
        double answer = 0;
        const double start = PMPI_Wtime();
        PMPI_Send(nullptr, 0, MPI_BYTE, rank_ - distance, tag, comm_);
        PMPI_Recv(&answer, 1, MPI_DOUBLE, rank_ - distance, tag, comm_, MPI_STATUS_IGNORE);
        const double end = PMPI_Wtime();
        if (end - start < least) least = end - start, ahead_ = (start + end) / 2 - answer;
      }
    }
  }
}

// From 0 to 1; ranks next to each other get shares far from each other, and no two the same.
static double share_of(int rank) {
  constexpr double golden = 0.6180339887498949;
  return rank * golden - std::floor(rank * golden);
}

// By dissemination all learn when the last one came.
Clock::Start Clock::meet(double apart) {
  double last = now();
  for (int distance = 1; distance < p_; distance *= 2) {
    double other = 0;
    PMPI_Sendrecv(&last, 1, MPI_DOUBLE, (rank_ + distance) % p_, tag, &other, 1, MPI_DOUBLE,
                  (rank_ - distance + p_) % p_, tag, comm_, MPI_STATUS_IGNORE);
    last = std::max(last, other);
  }
  const Start start{last + delay_, now() - last};
  wait_until(start.instant + share_of(rank_) * std::min(apart, delay_));
  return start;
}

// Awake, as a program that computes would be; where time is simulated, thousands of looks at the
// clock by each rank would be most of the work.
void Clock::wait_until(double instant) const {
#ifdef TUTTI_SMPI
  if (const double left = instant - now(); left > 0) sg_actor_sleep_for(left);
#else
  for (int ignored = 0; now() < instant;) {
    PMPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &ignored, MPI_STATUS_IGNORE);
  }
#endif
}

bool Clock::is_valid(const Start& start, double& seconds) {
  double most[]{now() - start.instant, start.needed};
  PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, comm_);
  seconds = most[0];
  const bool in_time = most[1] <= delay_ + negligible * seconds;
  delay_ = std::max(forgetting * delay_, margin * most[1]);
  return in_time;
}

}  // namespace tutti::tools
