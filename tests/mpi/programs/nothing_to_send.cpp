// Arguments that MPI ignores: where nothing is sent, buffers, datatypes and displacements are
// anything.
//
// Seen by users as a hang, when one rank alone takes its arguments to be wrong.
// https://github.com/open-mpi/ompi/issues/9619, https://github.com/pmodels/mpich/issues/872; ESMF
// and ParallelIO pass MPI_DATATYPE_NULL to MPI_Alltoallw where the count is 0.
#include <climits>
#include <string>
#include <vector>

#include "program.hpp"

using program::expect;
using program::p;
using program::rank;

namespace {

constexpr int repetitions = 8;
const MPI_Comm comm = MPI_COMM_WORLD;

using Ints = std::vector<int>;
Ints numbers(int value) { return Ints(static_cast<std::size_t>(p), value); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

void served(int code, const char* what) {
  expect(code == MPI_SUCCESS,
         std::string(what) + ": error class " + std::to_string(program::class_of(code)));
}

// Of size 0, with and without an element.
struct Empty {
  MPI_Datatype no_ints, no_fields;
  Empty() {
    const int none = 0;
    const MPI_Aint nowhere = 0;
    const MPI_Datatype type = MPI_INT;
    MPI_Type_contiguous(0, MPI_INT, &no_ints);
    MPI_Type_create_struct(0, &none, &nowhere, &type, &no_fields);
    MPI_Type_commit(&no_ints);
    MPI_Type_commit(&no_fields);
  }
  ~Empty() {
    MPI_Type_free(&no_ints);
    MPI_Type_free(&no_fields);
  }
};

void nothing_anywhere(const Empty& empty) {
  Ints data = numbers(rank), zeros = numbers(0);
  int* const none = nullptr;
  served(MPI_Bcast(none, 0, MPI_INT, 0, comm), "bcast of nothing");
  served(MPI_Bcast(none, 5, empty.no_ints, 0, comm), "bcast of an empty type");
  served(MPI_Reduce(none, none, 0, MPI_INT, MPI_SUM, 0, comm), "reduce of nothing");
  served(MPI_Allreduce(MPI_IN_PLACE, none, 0, MPI_INT, MPI_SUM, comm), "allreduce of nothing");
  served(MPI_Scan(none, none, 0, MPI_INT, MPI_SUM, comm), "scan of nothing");
  served(MPI_Gather(none, 3, empty.no_ints, data.data(), 3, empty.no_ints, 0, comm), "gather");
  served(MPI_Allgather(none, 3, empty.no_fields, rank == 0 ? data.data() : none, 3, empty.no_ints,
                       comm),
         "allgather");
  served(MPI_Alltoall(rank == 0 ? data.data() : none, 2, empty.no_ints, data.data(), 2,
                      empty.no_fields, comm),
         "alltoall");
  served(MPI_Gatherv(none, 0, MPI_INT, none, zeros.data(), zeros.data(), MPI_INT, 0, comm),
         "gatherv of nothing");
  served(MPI_Allgatherv(none, 0, MPI_INT, none, zeros.data(), zeros.data(), MPI_INT, comm),
         "allgatherv of nothing");
  served(MPI_Alltoallv(none, zeros.data(), zeros.data(), MPI_INT, data.data(), zeros.data(),
                       zeros.data(), MPI_INT, comm),
         "alltoallv of nothing");
  served(MPI_Reduce_scatter(none, none, zeros.data(), MPI_INT, MPI_SUM, comm),
         "reduce_scatter of nothing");
  served(MPI_Reduce_scatter_block(none, none, 0, MPI_INT, MPI_SUM, comm),
         "reduce_scatter_block of nothing");
}

// Rank 1 has nothing to send or receive and says so in several ways; the others have a number each.
void one_has_nothing(const Empty& empty) {
  Ints all = numbers(-1), counts = numbers(1), places = numbers(0);
  for (int i = 0; i < p; ++i) places[at(i)] = i;
  counts[1] = 0;
  int* const none = nullptr;
  const auto gather = [&](int count, MPI_Datatype type, MPI_Datatype received) {
    all = numbers(-1);
    served(rank == 1 ? MPI_Gatherv(none, count, type, none, none, none, received, 0, comm)
                     : MPI_Gatherv(&rank, 1, MPI_INT, all.data(), counts.data(), places.data(),
                                   MPI_INT, 0, comm),
           "gatherv where rank 1 has nothing");
    for (int i = 0; rank == 0 && i < p; ++i) {
      expect(all[at(i)] == (i == 1 ? -1 : i), "gatherv where rank 1 has nothing");
    }
  };
  gather(0, MPI_INT, MPI_INT);
  gather(0, MPI_INT, MPI_DATATYPE_NULL);
  gather(5, empty.no_ints, MPI_INT);
  Ints from = numbers(7);
  int mine = -1;
  served(rank == 1 ? MPI_Scatterv(none, none, none, MPI_DATATYPE_NULL, none, 0, MPI_INT, 0, comm)
                   : MPI_Scatterv(from.data(), counts.data(), places.data(), MPI_INT, &mine, 1,
                                  MPI_INT, 0, comm),
         "scatterv where rank 1 gets nothing");
  expect(mine == (rank == 1 ? -1 : 7), "scatterv where rank 1 gets nothing");
}

void only_the_last_gets() {
  Ints in(3, 1), out(3, -1), counts = numbers(0);
  counts[at(p - 1)] = 3;
  int* const none = nullptr;
  served(MPI_Reduce_scatter(in.data(), rank == p - 1 ? out.data() : none, counts.data(), MPI_INT,
                            MPI_SUM, comm),
         "reduce_scatter for the last rank");
  expect(rank != p - 1 || out == Ints(3, p), "reduce_scatter for the last rank");
}

// Rank 0 sends rank 1 a number. Displacements of empty blocks are anything.
void one_message() {
  Ints sent = numbers(0), received = numbers(0), from = numbers(INT_MAX), to = numbers(INT_MIN);
  int a = 7, b = -1;
  if (rank == 0) sent[1] = 1, from[1] = 0;
  if (rank == 1) received[0] = 1, to[0] = 0;
  int* const none = nullptr;
  served(MPI_Alltoallv(rank == 0 ? &a : none, sent.data(), from.data(), MPI_INT,
                       rank == 1 ? &b : none, received.data(), to.data(), MPI_INT, comm),
         "alltoallv of one message");
  expect(b == (rank == 1 ? 7 : -1), "alltoallv of one message");
}

// All send rank 0 four numbers, and it answers. Where nothing goes there is `nothing`.
void by_one_rank(MPI_Datatype nothing, const char* what) {
  Ints sent = numbers(0), received = numbers(0), from = numbers(0), to = numbers(0);
  std::vector<MPI_Datatype> sends(at(p), nothing), receives(at(p), nothing);
  Ints mine(4, 10 * rank), all(at(4 * p), -1);
  for (int i = 0; i < p; ++i) {
    if (rank != 0 && i != 0) continue;
    sent[at(i)] = received[at(i)] = 4;
    sends[at(i)] = receives[at(i)] = MPI_INT;
    to[at(i)] = 16 * i;
  }
  served(MPI_Alltoallw(mine.data(), sent.data(), from.data(), sends.data(), all.data(),
                       received.data(), to.data(), receives.data(), comm),
         what);
  for (int i = 0; i < p; ++i) {
    expect(all[at(4 * i + 3)] == (rank == 0 ? 10 * i : i == 0 ? 0 : -1), what);
  }
}

// Blocks of size 0, by a count on one side and by a datatype on the other.
void empty_two_ways(const Empty& empty) {
  Ints two = numbers(2), zeros = numbers(0);
  const std::vector<MPI_Datatype> sends(at(p), empty.no_ints), receives(at(p), MPI_INT);
  int a = 0, b = -1;
  served(MPI_Alltoallw(&a, two.data(), zeros.data(), sends.data(), &b, zeros.data(), zeros.data(),
                       receives.data(), comm),
         "alltoallw of empty blocks");
  expect(b == -1, "alltoallw of empty blocks");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  {
    const Empty empty;
    for (int i = 0; i < repetitions; ++i) {
      nothing_anywhere(empty);
      if (p > 1) one_has_nothing(empty);
      only_the_last_gets();
      if (p > 1) one_message();
      by_one_rank(MPI_INT, "alltoallw by one rank");
#ifndef OPEN_MPI  // which rejects a null datatype wherever it stands
      by_one_rank(MPI_DATATYPE_NULL, "alltoallw by one rank, null types where nothing goes");
#endif
      empty_two_ways(empty);
    }
  }
  return program::end();
}
