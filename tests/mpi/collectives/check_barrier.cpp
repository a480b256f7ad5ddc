// Barrier: no rank may leave before the last one has entered.
//
// Rank call.root comes late on purpose. Clocks decide, so all ranks must be on one machine, or
// simulated.
#include <algorithm>
#include <chrono>

#include "checks.hpp"

namespace tutti::test {

namespace {

constexpr int lateness_us = 200;

// Keeps the late rank away from the barrier for a while.
void be_late() {
#if defined(TUTTI_SMPI)  // simulated time stands still while a rank computes
  smpi_usleep(lateness_us);
#else
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(lateness_us);
  while (std::chrono::steady_clock::now() < end) continue;
#endif
}

// A clock common to all ranks, in seconds. Not MPI_Wtime: Open MPI's starts at 0 on each rank.
double now() {
#if defined(TUTTI_SMPI)  // all ranks are in one process, and time is simulated
  return MPI_Wtime();
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

// The latest of all ranks' times, told to all ranks by point-to-point messages.
double latest(const TestComm& comm, double mine) {
  double result = mine;
  if (comm.rank != 0) {
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, 0, comm.side);
    MPI_Recv(&result, 1, MPI_DOUBLE, 0, 0, comm.side, MPI_STATUS_IGNORE);
    return result;
  }
  for (int peer = 1; peer < comm.p; ++peer) {
    double theirs;
    MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, 0, comm.side, MPI_STATUS_IGNORE);
    result = std::max(result, theirs);
  }
  for (int peer = 1; peer < comm.p; ++peer) {
    MPI_Send(&result, 1, MPI_DOUBLE, peer, 0, comm.side);
  }
  return result;
}

}  // namespace

void check_barrier(Report& report, const Call& call) {
  if (call.is_root()) be_late();
  const double entered = now();
  MPI_Barrier(call.comm->comm);
  const double left = now();
  const double last_entry = latest(*call.comm, entered);
  report.check("Barrier", left >= last_entry,
               call.describe() + ": left " + std::to_string((last_entry - left) * 1e6) +
                   " us before the last rank entered");
}

}  // namespace tutti::test
