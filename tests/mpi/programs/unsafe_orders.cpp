// Programs that rely on rooted collectives not waiting for everyone.
//
// MPI lets a library wait, so these are unsafe; both libraries let short messages pass, also in a
// communicator's first call. https://github.com/mpickpt/mana/issues/394,
// https://github.com/open-mpi/ompi/issues/3255
//
//   unsafe_orders [used]     communicators that made collectives before
#include <string>
#include <vector>

#include "program.hpp"

using program::expect;
using program::p;
using program::rank;

namespace {

int bcast(int value, MPI_Comm comm) {
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  return value;
}

void send(int to) { MPI_Send(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD); }

void receive(int from) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(value == from, "a message");
}

void receive_from_all() {
  for (int i = 1; i < p; ++i) receive(i);
}

// The root broadcasts and then sends what others receive before they join the broadcast.
void bcast_then_send(MPI_Comm comm) {
  int value = 5;
  if (rank == 0) {
    value = bcast(5, comm);
    for (int i = 1; i < p; ++i) send(i);
  } else {
    receive(0);
    value = bcast(-1, comm);
  }
  expect(value == 5, "a broadcast that others join late");
}

// Ranks broadcast on two communicators in different orders.
void two_orders(MPI_Comm one, MPI_Comm other) {
  int first = rank == 0 ? 1 : -1, second = rank == 0 ? 2 : -1;
  if (rank % 2 == 1) second = bcast(second, other);
  first = bcast(first, one);
  if (rank % 2 == 0) second = bcast(second, other);
  expect(first == 1 && second == 2, "broadcasts on two communicators, in two orders");
}

// The others give their part and then send what the root waits for before it takes part.
void root_reduces_late(MPI_Comm comm) {
  int sum = 0;
  const int one = 1;
  if (rank == 0) receive_from_all();
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  if (rank != 0) send(0);
  expect(rank != 0 || sum == p, "a reduction that the root joins late");
}

void root_gathers_late(MPI_Comm comm) {
  std::vector<int> all(static_cast<std::size_t>(p), -1);
  if (rank == 0) receive_from_all();
  MPI_Gather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, 0, comm);
  if (rank != 0) send(0);
  for (int i = 0; rank == 0 && i < p; ++i) {
    expect(all[static_cast<std::size_t>(i)] == i, "a gather that the root joins late");
  }
}

void use(MPI_Comm comm) {
  for (int i = 0; i < 10; ++i) {
    bcast(0, comm);
    MPI_Barrier(comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  for (int round = 0; round < 4; ++round) {
    MPI_Comm one, other;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (argc > 1) use(one), use(other);
    const int turns = argc > 1 ? 3 : 1;
    for (int i = 0; i < turns; ++i) {
      if (argc > 1 || round == 0) bcast_then_send(one);
      if (argc > 1 || round == 1) two_orders(one, other);
      if (argc > 1 || round == 2) root_reduces_late(one);
      if (argc > 1 || round == 3) root_gathers_late(one);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&one);
    MPI_Comm_free(&other);
  }
  return program::end();
}
