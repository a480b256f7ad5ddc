#include "tools/measure/clock.hpp"

#ifdef TUTTI_SMPI
#include <simgrid/actor.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

namespace tutti::tools {

namespace {

constexpr int tag = 0;
constexpr int trips = 20;
// The start waits for somewhat longer than ranks needed lately.
constexpr double margin = 1.25;
constexpr double forgetting = 0.5;
// Of what is measured: a rank that started later by less makes no difference.
constexpr double negligible = 0.01;
// As many times as long as ranks need to meet: when they leave a barrier hardly matters to that.
// Not where time is simulated: messages that all end at instants of their own keep SimGrid's solver
// busy many times as long.
#ifdef TUTTI_SMPI
constexpr double long_times = std::numeric_limits<double>::infinity();
#else
constexpr double long_times = 4;
#endif

}  // namespace

double barrier_seconds(MPI_Comm comm) {
  constexpr int at_once = 3;  // of two ranks one is too short for the clock
  std::array<double, 5> seconds{};
  for (double& each : seconds) {
    const double start = PMPI_Wtime();
    for (int i = 0; i < at_once; ++i) PMPI_Barrier(comm);
    each = (PMPI_Wtime() - start) / at_once;
  }
  std::ranges::sort(seconds);
  double middle = seconds[seconds.size() / 2];
  PMPI_Bcast(&middle, 1, MPI_DOUBLE, 0, comm);
  return middle;
}

void connect_all(MPI_Comm comm, int bytes) {
  int rank = 0, p = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &p);
  const auto size = static_cast<std::size_t>(bytes);
  std::vector<char> out(size), in(size);
  for (int distance = 1; distance < p; ++distance) {
    const int to = (rank + distance) % p, from = (rank - distance + p) % p;
    PMPI_Sendrecv(out.data(), bytes, MPI_BYTE, to, 0, in.data(), bytes, MPI_BYTE, from, 0, comm,
                  MPI_STATUS_IGNORE);
  }
}

Clock::Clock(MPI_Comm comm) : comm_(comm) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &p_);
  synchronise();
  time(Start::together, [] {});  // finds the delay
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

Start Clock::start_for(double seconds) const {
  return seconds > long_times * delay_ ? Start::from_barrier : Start::together;
}

// By dissemination all learn when the last one came.
Clock::Meeting Clock::meet() {
  double last = now();
  for (int distance = 1; distance < p_; distance *= 2) {
    double other = 0;
    PMPI_Sendrecv(&last, 1, MPI_DOUBLE, (rank_ + distance) % p_, tag, &other, 1, MPI_DOUBLE,
                  (rank_ - distance + p_) % p_, tag, comm_, MPI_STATUS_IGNORE);
    last = std::max(last, other);
  }
  const double known = now(), needed = known - last;
  wait_until(last + delay_);
  return {last + delay_, needed};
}

Clock::Meeting Clock::leave_barrier() const {
  PMPI_Barrier(comm_);
  return {now(), std::nullopt};
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

bool Clock::is_in_time(const Meeting& meeting, double& seconds) {
  double most[]{now() - meeting.start, meeting.needed.value_or(0)};
  PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, comm_);
  seconds = most[0];
  if (!meeting.needed) return true;
  const bool in_time = most[1] <= delay_ + negligible * seconds;
  delay_ = std::max(forgetting * delay_, margin * most[1]);
  return in_time;
}

}  // namespace tutti::tools
