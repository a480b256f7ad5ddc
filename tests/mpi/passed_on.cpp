// passed_on: calls that a profile gives to the native collective, and calls that differ from
// one of them in one thing and are not to follow it there. tune_test.py writes that profile: native
// for messages of 8 bytes, not for those of 64 KiB. How often the native collective is called is
// counted here: libtutti.so finds the program's PMPI functions before the library's.
//
//   mpirun -np 2 tutti exec --profile FILE -- passed_on
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "totals.hpp"

namespace {

int natives = 0;

template <class Function>
Function library(const char* name) {
  ++natives;
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int PMPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm) {
  return library<decltype(&PMPI_Allreduce)>("PMPI_Allreduce")(in, out, count, type, op, comm);
}

extern "C" int PMPI_Reduce_scatter(const void* in, void* out, const int counts[], MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm) {
  return library<decltype(&PMPI_Reduce_scatter)>("PMPI_Reduce_scatter")(in, out, counts, type, op,
                                                                        comm);
}

namespace {

constexpr int few = 2, many = 1 << 14;  // ints: 8 bytes, 64 KiB
int rank, p;
long failures = 0, checks = 0;

void check(bool good, const char* what, int count) {
  ++checks;
  if (good) return;
  ++failures;
  std::fprintf(stderr, "FAILED rank %d: %s of %d\n", rank, what, count);
}

// Whether a sum (or greatest, in place if so wished) of `count` ints is right, and who made it.
void allreduce(int count, MPI_Op op, bool in_place, bool natively, MPI_Comm comm) {
  std::vector<int> in(static_cast<std::size_t>(count), rank + 1), out(in);
  const int before = natives;
  MPI_Allreduce(in_place ? MPI_IN_PLACE : in.data(), out.data(), count, MPI_INT, op, comm);
  check(natives - before == (natively ? 1 : 0), "who served an allreduce", count);
  const int wanted = op == MPI_MAX ? p : p * (p + 1) / 2;
  check(out.front() == wanted && out.back() == wanted, "an allreduce", count);
}

void several(int count, bool natively, MPI_Comm comm) {
  for (int i = 0; i < 3; ++i) allreduce(count, MPI_SUM, false, natively, comm);
}

// The array stays where it is; what it says changes. A layout has to come twice.
void reduce_scatter(std::vector<int>& counts, int count, bool natively) {
  std::fill(counts.begin(), counts.end(), count / p);
  std::vector<int> in(static_cast<std::size_t>(count), rank + 1), out(in);
  for (int i = 0; i < 4; ++i) {
    const int before = natives;
    MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(natives - before == (natively ? 1 : 0), "who served a reduce_scatter", count);
    check(out.front() == p * (p + 1) / 2, "a reduce_scatter", count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Barrier(MPI_COMM_WORLD);  // makes the communicator's state
  for (int i = 0; i < 2; ++i) {
    several(few, true, MPI_COMM_WORLD);
    several(many, false, MPI_COMM_WORLD);
    allreduce(few, MPI_MAX, false, true, MPI_COMM_WORLD);
    allreduce(few, MPI_SUM, true, true, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 3; ++i) {  // a handle is used again for another communicator
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Barrier(other);
    several(i % 2 == 0 ? few : many, i % 2 == 0, other);
    MPI_Comm_free(&other);
  }
  std::vector<int> counts(static_cast<std::size_t>(p));
  for (int i = 0; i < 2; ++i) {
    reduce_scatter(counts, few, true);
    reduce_scatter(counts, many, false);
  }
  several(few, true, MPI_COMM_WORLD);
  const bool passed = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return passed ? 0 : 1;
}
