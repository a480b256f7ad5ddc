// A job beside others on the same processors:
//
//   mpirun -np P side_by_side ITERATIONS READY GO   waits, once the file READY is there, for GO;
//   then
//                                                   says how long so many collectives took
//   mpirun -np P side_by_side late                  how much processor time ranks take while they
//                                                   wait for one that is late
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "../programs/program.hpp"
#include "resources.hpp"

namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void iterations(int number) {
  std::vector<char> data(64 << 10);
  double one = 1, sum = 0;
  for (int i = 0; i < number; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

void begin_together(const char* ready, const char* go) {
  if (program::rank == 0) {
    std::fclose(std::fopen(ready, "w"));
    while (access(go, F_OK) != 0) usleep(1000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void be_late() {
  constexpr double late = 1, most = 0.2;
  const double before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  if (program::rank == 0) usleep(static_cast<useconds_t>(late * 1e6));
  MPI_Barrier(MPI_COMM_WORLD);
  const double taken = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
  program::expect(taken < most * late, "processor time while waiting: " + std::to_string(taken));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  iterations(10);
  program::expect(tutti::test::mappings().tuttis == 1, "the ranks share memory");
  if (std::string(argv[1]) == "late") {
    be_late();
    return program::end();
  }
  begin_together(argv[2], argv[3]);
  const double start = seconds_of(CLOCK_MONOTONIC);
  iterations(std::atoi(argv[1]));
  const double taken = seconds_of(CLOCK_MONOTONIC) - start;
  if (program::rank == 0) program::say("took " + std::to_string(taken));
  return program::end();
}
