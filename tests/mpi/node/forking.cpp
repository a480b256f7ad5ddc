// Ranks whose children come and go while the parents use the node's memory:
//
//   mpirun -np P forking
//
// A child that ends by exit() runs what is registered for the end of the program; others leave at
// once, run another program, are killed, or outlive the parent's communicator. None has the memory.
#include <mpi.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "../programs/program.hpp"
#include "resources.hpp"

namespace {

using program::expect;

void collectives(MPI_Comm comm, int times) {
  int rank = 0, p = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (int i = 0; i < times; ++i) {
    const int one = rank + i;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == p * (p - 1) / 2 + p * i, "a sum beside children");
    std::vector<int> data(50'000, rank == i % p ? i : -1);
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_INT, i % p, comm);
    expect(data == std::vector<int>(data.size(), i), "a broadcast beside children");
  }
}

// The child's status says what it found.
pid_t fork_child(void (*work)()) {
  const pid_t child = fork();
  if (child == 0) {
    if (tutti::test::mappings().tuttis != 0) _exit(1);
    work();
    _exit(2);
  }
  return child;
}

bool ends_with(pid_t child, int expected) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) ? WEXITSTATUS(status) == expected : WTERMSIG(status) == -expected;
}

void leave() { std::exit(7); }
void leave_at_once() { _exit(7); }
void run_another() { execl("/bin/sh", "sh", "-c", "exit 7", nullptr); }
void be_killed() { raise(SIGKILL); }
void stay() { pause(); }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  std::atexit([] {});
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  collectives(MPI_COMM_WORLD, 10);
  collectives(comm, 10);
  expect(tutti::test::mappings().tuttis == 2, "two communicators have memory");
  const pid_t stays = fork_child(stay);
  const std::array<void (*)(), 4> kinds{leave, leave_at_once, run_another, be_killed};
  for (int round = 0; round < 12; ++round) {
    // Some ranks have a child, others already wait for them.
    const auto kind = static_cast<std::size_t>(round) % kinds.size();
    pid_t child = 0;
    if (round % 3 != program::rank % 3) child = fork_child(kinds[kind]);
    collectives(MPI_COMM_WORLD, 3);
    const int expected = kinds[kind] == be_killed ? -SIGKILL : 7;
    if (child != 0) expect(ends_with(child, expected), "a child without the memory");
    collectives(comm, 3);
  }
  MPI_Comm_free(&comm);
  collectives(MPI_COMM_WORLD, 3);
  kill(stays, SIGKILL);
  expect(ends_with(stays, -SIGKILL), "the child that stays");
  expect(std::system("exit 0") == 0, "a shell's command");
  collectives(MPI_COMM_WORLD, 3);
  expect(tutti::test::mappings().tuttis == 1, "the memory that is left");
  expect(tutti::test::names_left() == 0, "names of shared memory are left");
  return program::end();
}
