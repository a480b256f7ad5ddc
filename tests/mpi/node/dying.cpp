// One rank dies while the others wait for it in collectives that go by the node's memory:
//
//   mpirun -np P dying kill|exit|abort|midst SEED
//
// midst: it is killed at any moment of a loop of collectives. Every rank says its process, and the
// one that dies when it does so.
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "resources.hpp"

namespace {

constexpr int status_at_exit = 5, code_of_abort = 7;
std::vector<char> data(1 << 20);

void say(const char* what, long number) {
  char line[100];
  const int length = std::snprintf(line, sizeof line, "%s %ld\n", what, number);
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) std::abort();
}

// A launcher that ends a job may not pass on what it has not read yet.
void say_that_it_dies() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  say("dies", now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
  usleep(300'000);
}

void collectives(int times) {
  double one = 1, sum = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void die(int) {
  say_that_it_dies();
  kill(getpid(), SIGKILL);
}

void die_in_the_midst(unsigned seed) {
  std::mt19937 random(seed);
  const auto microseconds = static_cast<suseconds_t>(1000 + random() % 200'000);
  const itimerval once{{}, {0, microseconds}};
  signal(SIGALRM, die);
  setitimer(ITIMER_REAL, &once, nullptr);
}

void die_while_others_wait(const std::string& how) {
  if (how == "kill") die(SIGKILL);
  say_that_it_dies();
  if (how == "exit") std::exit(status_at_exit);
  MPI_Abort(MPI_COMM_WORLD, code_of_abort);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string how = argc > 1 ? argv[1] : "";
  int rank = 0, p = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  say("process", getpid());
  collectives(10);
  say("mappings", tutti::test::mappings().tuttis);
  const bool dies = rank == p - 1;
  if (how != "midst") {
    if (dies) die_while_others_wait(how);
    collectives(1);
  } else {
    if (dies) die_in_the_midst(static_cast<unsigned>(std::atol(argv[2])));
    collectives(1'000'000);
  }
  say("went on", rank);
}
