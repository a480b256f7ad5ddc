// Communicators made, used a few times and freed, and many that are kept.
//
// Seen by users as loops that take 2.5 to 10 times as long, and as communicators that run out.
// https://github.com/FEniCS/dolfinx/issues/3061, https://github.com/pmodels/mpich/issues/1768
//
// With few calls on a communicator each is the native one and Tutti calls no other function of MPI:
// it makes no communicator and sends no message. Calls are counted here: libtutti.so finds the
// program's PMPI functions before the library's.
#include <dlfcn.h>

#include <map>
#include <string>
#include <vector>

#include "../resident.hpp"
#include "program.hpp"

namespace {

constexpr int few = 5;  // calls that are native on a new communicator
constexpr int loops = 300, most_kept = 3000;
constexpr long allowed_growth_kb = 1024;

std::map<std::string, long> called;
bool counting = false;

template <class Function>
Function library(Function, const char* name) {
  if (counting) ++called[name];
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define TUTTI_COUNT(name, parameters, arguments) \
  extern "C" int name parameters { return library(&name, #name) arguments; }

TUTTI_COUNT(PMPI_Allreduce,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (in, out, n, type, op, comm))
TUTTI_COUNT(PMPI_Allgather,
            (const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype its,
             MPI_Comm comm),
            (in, n, type, out, m, its, comm))
TUTTI_COUNT(PMPI_Bcast, (void* data, int n, MPI_Datatype type, int root, MPI_Comm comm),
            (data, n, type, root, comm))
TUTTI_COUNT(PMPI_Barrier, (MPI_Comm comm), (comm))
TUTTI_COUNT(PMPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
TUTTI_COUNT(PMPI_Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request),
            (comm, made, request))
TUTTI_COUNT(PMPI_Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* made),
            (comm, colour, key, made))
TUTTI_COUNT(PMPI_Comm_split_type, (MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm* made),
            (comm, kind, key, info, made))
TUTTI_COUNT(PMPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
            (comm, group, tag, made))
TUTTI_COUNT(PMPI_Send, (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
            (data, n, type, to, tag, comm))
TUTTI_COUNT(PMPI_Isend,
            (const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
             MPI_Request* request),
            (data, n, type, to, tag, comm, request))
TUTTI_COUNT(PMPI_Irecv,
            (void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Request* request),
            (data, n, type, from, tag, comm, request))
TUTTI_COUNT(PMPI_Recv,
            (void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status),
            (data, n, type, from, tag, comm, status))
TUTTI_COUNT(PMPI_Sendrecv,
            (const void* data, int n, MPI_Datatype type, int to, int tag, void* other, int m,
             MPI_Datatype its, int from, int their_tag, MPI_Comm comm, MPI_Status* status),
            (data, n, type, to, tag, other, m, its, from, their_tag, comm, status))

#undef TUTTI_COUNT

namespace {

bool sum_is_right(MPI_Comm comm) {
  int p = 0, sum = 0;
  const int one = 1;
  MPI_Comm_size(comm, &p);
  return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == p;
}

// `calls` on each of many short-lived communicators.
void live_shortly(int calls, bool split) {
  const int colour = split ? program::rank % 2 : 0;
  for (int i = 0; i < loops; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, colour, program::rank, &comm);
    for (int k = 0; k < calls; ++k) program::expect(sum_is_right(comm), "a sum");
    MPI_Comm_free(&comm);
  }
}

void count_calls() {
  counting = true;
  live_shortly(few, false);
  live_shortly(few, true);
  counting = false;
  for (const auto& [name, count] : called) {
    program::expect(name == "PMPI_Allreduce", name + " was called " + std::to_string(count) +
                                                  " times for communicators of few calls");
  }
  const long sums = called.empty() ? 0 : called["PMPI_Allreduce"];
  program::expect(sums == 0 || sums == 2L * loops * few,
                  "native allreduces: " + std::to_string(sums));
}

void watch_memory() {
  live_shortly(12, false);
  const long before = tutti::test::resident_kb();
  live_shortly(12, false);
  live_shortly(12, true);
  const long growth = tutti::test::resident_kb() - before;
  program::expect(growth <= allowed_growth_kb, "memory grew by KiB: " + std::to_string(growth));
}

// As many as there can be. What can't be made is the program's; what was made works.
void keep_many() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> kept;
  for (int i = 0; i < most_kept; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS) break;
    kept.push_back(comm);
    for (int k = 0; k < 8; ++k) {
      program::expect(sum_is_right(comm), "a sum on communicator " + std::to_string(i));
    }
  }
  program::expect(kept.size() >= 500, "communicators: " + std::to_string(kept.size()));
  for (MPI_Comm& comm : kept) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  count_calls();
  watch_memory();
  keep_many();
  return program::end();
}
