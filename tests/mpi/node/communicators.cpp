// Communicators come and go, and leave nothing behind:
//
//   mpirun -np P communicators few      which make too few calls to be served
//   mpirun -np P communicators many N   N of them, each served by the node's memory, at most
//   mpirun -np P communicators under_way  freed while others, or other ranks, are in a call
//   mpirun -np P communicators kept     not freed, when the program ends
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../programs/program.hpp"
#include "../resident.hpp"
#include "resources.hpp"

namespace {

using program::expect;
using tutti::test::mappings;

constexpr int few = 5;                        // calls that are native on a new communicator
constexpr long allowed_growth_kb = 4 * 1024;  // after the warm-up
constexpr int allowed_mappings = 8;           // of the libraries' heaps

void sums(MPI_Comm comm, int times) {
  int rank = 0, p = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (int i = 0; i < times; ++i) {
    const long mine = rank + i;
    long sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
    expect(sum == p * (p - 1L) / 2 + long{p} * i, "a sum");
  }
}

MPI_Comm made(int number) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (number % 2 == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -program::rank, &comm);
  }
  return comm;
}

void make_few_calls() {
  const int before = mappings().tuttis;
  std::vector<MPI_Comm> kept;
  for (int i = 0; i < 20; ++i) {
    kept.push_back(made(i));
    sums(kept.back(), few);
  }
  expect(mappings().tuttis == before, "communicators of few calls have memory");
  for (const MPI_Comm comm : kept) sums(comm, 1);
  expect(mappings().tuttis == before + 20, "those of more calls have none");
  for (MPI_Comm& comm : kept) MPI_Comm_free(&comm);
  expect(mappings().tuttis == before, "memory stays");
}

void live_shortly(int number) {
  MPI_Comm comm = made(number);
  sums(comm, few + 3);
  if (number % 500 == 0) expect(mappings().tuttis > 0, "no memory");
  MPI_Comm_free(&comm);
}

// Whether all of them are to go on, at most until then.
bool is_time_left(double end) {
  int is_left = MPI_Wtime() < end ? 1 : 0;
  MPI_Bcast(&is_left, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return is_left != 0;
}

struct Held {
  tutti::test::Mappings mappings = tutti::test::mappings();
  int descriptors = tutti::test::descriptors();
  long resident_kb = tutti::test::resident_kb();
};

// Where the machine is busy with other things it may take long: 3000 of them are enough then.
void make_many(int number) {
  constexpr int least = 3000, at_once = 500;
  const double start = MPI_Wtime(), longest = 40;
  for (int i = 0; i < at_once; ++i) live_shortly(i);
  const Held before;
  int made = at_once;
  for (; made < number && (made < least || is_time_left(start + longest)); made += at_once) {
    for (int i = 0; i < at_once; ++i) live_shortly(i);
  }
  const double each = (MPI_Wtime() - start) / made;
  const Held after;
  const int lines = after.mappings.all - before.mappings.all;
  const int descriptors = after.descriptors - before.descriptors;
  const long growth = after.resident_kb - before.resident_kb;
  const std::string more = "more, after so many communicators: ";
  expect(after.mappings.tuttis == before.mappings.tuttis, more + "memory of Tutti's");
  expect(lines <= allowed_mappings, more + std::to_string(lines) + " mappings");
  expect(descriptors <= 0, more + std::to_string(descriptors) + " descriptors");
  expect(growth <= allowed_growth_kb, more + std::to_string(growth) + " KiB");
  if (program::rank == 0) {
    program::say(std::to_string(made) + " communicators, " + std::to_string(each * 1e6) +
                 " us each, " + std::to_string(growth) + " KiB more");
  }
}

// A rank frees a communicator as soon as its own part of the last call is over; others have not
// begun theirs, and messages of another communicator are under way.
void free_early() {
  for (int round = 0; round < 200; ++round) {
    MPI_Comm comm = made(round), other = made(round + 1);
    sums(comm, few + 1);
    sums(other, few + 1);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<int> data(round % 4 < 2 ? 10 : 20'000, rank == 0 ? round : -1);
    const auto count = static_cast<int>(data.size());
    MPI_Request under_way;
    int one = 1, sum = 0;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other, &under_way);
    MPI_Bcast(data.data(), count, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    expect(data == std::vector<int>(data.size(), round), "a broadcast before the end");
    MPI_Wait(&under_way, MPI_STATUS_IGNORE);
    expect(sum == program::p, "a sum that was under way");
    sums(other, 2);
    MPI_Comm_free(&other);
  }
}

void keep() {
  constexpr int communicators = 300;
  sums(made(0), few + 3);
  const Held before;
  for (int i = 0; i < communicators; ++i) sums(made(i), few + 3);
  const Held after;
  const int tuttis = after.mappings.tuttis - before.mappings.tuttis;
  expect(tuttis == communicators, "memory of " + std::to_string(tuttis));
  if (program::rank == 0) {
    program::say(std::to_string((after.resident_kb - before.resident_kb) / communicators) +
                 " KiB each");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "few") make_few_calls();
  if (what == "many") make_many(std::atoi(argv[2]));
  if (what == "under_way") free_early();
  if (what == "kept") keep();
  const int status = program::end();
  return tutti::test::names_left() == 0 ? status : 3;
}
