// leak_test: creates, uses and frees many communicators, datatypes and operators.
//
//   mpirun -np P leak_test [--rounds N]
//
// Anything kept per communicator, datatype or operator must go when its owner is freed: results
// stay right when a handle's value comes back with another meaning, the callbacks of the user's
// own attributes run exactly as often as the user duplicates and frees, and memory stays flat.
// 2000 communicators are more than MPICH's context ids would stand if a duplicate of each stayed.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "resident.hpp"
#include "totals.hpp"

namespace {

constexpr long allowed_growth_kb = 8 * 1024;  // after the warm-up

long failures = 0;
long checks = 0;

void check(bool good, const char* what, int round) {
  ++checks;
  if (good) return;
  if (++failures <= 10) std::fprintf(stderr, "FAILED round %d: %s\n", round, what);
}

void use(MPI_Comm comm, int round) {
  int rank;
  int p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  for (const int count : {1, 300, 3000}) {
    std::vector<int> in(static_cast<std::size_t>(count), rank + round);
    std::vector<int> out(in.size(), -1);
    MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm);
    const int sum = p * (p - 1) / 2 + p * round;
    check(out == std::vector<int>(in.size(), sum), "allreduce on a new communicator", round);
    const int root = round % p;
    if (rank == root) out.assign(out.size(), round);
    MPI_Bcast(out.data(), count, MPI_INT, root, comm);
    check(out == std::vector<int>(in.size(), round), "bcast on a new communicator", round);
  }
  MPI_Barrier(comm);
}

void communicators(int rounds, int first) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = first; round < first + rounds; ++round) {
    MPI_Comm comm;
    if (round % 3 == 0) {
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    } else {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    use(comm, round);
    MPI_Comm_free(&comm);
  }
}

// A datatype whose layout differs from round to round, so a reused handle has a new meaning.
void datatypes(int rounds, int first) {
  int rank;
  int p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int round = first; round < first + rounds; ++round) {
    const int length = 1 + round % 3;
    const int stride = length + round % 4;
    MPI_Datatype type;
    MPI_Type_vector(2, length, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<int> data(32, -1);
    std::vector<int> expected(32, -1);
    for (int i = 0; i < 2 * length; ++i) {
      const auto at = static_cast<std::size_t>(i / length * stride + i % length);
      expected[at] = round + i;
    }
    const int root = round % p;
    if (rank == root) data = expected;
    MPI_Bcast(data.data(), 1, type, root, MPI_COMM_WORLD);
    check(data == expected, "bcast of a new datatype", round);
    MPI_Type_free(&type);
  }
}

void sum_function(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void left_function(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] = static_cast<int*>(in)[i];
}

// A commutative and a non-commutative operator in turn, so a reused handle changes its kind.
void operators(int rounds, int first) {
  int rank;
  int p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  for (int round = first; round < first + rounds; ++round) {
    const bool ordered = round % 2 == 1;
    MPI_Op op;
    MPI_Op_create(ordered ? left_function : sum_function, ordered ? 0 : 1, &op);
    const int mine = rank + round;
    int result = -1;
    MPI_Allreduce(&mine, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    const int expected = ordered ? round : p * (p - 1) / 2 + p * round;
    check(result == expected, "allreduce with a new operator", round);
    MPI_Op_free(&op);
  }
}

struct Callbacks {
  int copied = 0;
  int deleted = 0;
};

int on_copy(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  ++static_cast<Callbacks*>(extra)->copied;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int on_delete(MPI_Comm, int, void*, void* extra) {
  ++static_cast<Callbacks*>(extra)->deleted;
  return MPI_SUCCESS;
}

// Collectives before and after dup; only the user's own dup and free may run the callbacks.
void attributes(int rounds) {
  Callbacks seen;
  int keyval;
  MPI_Comm_create_keyval(on_copy, on_delete, &keyval, &seen);
  MPI_Comm parent;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_attr(parent, keyval, &seen);
  for (int round = 0; round < rounds; ++round) {
    use(parent, round);
    check(seen.copied == round && seen.deleted == round, "a collective ran callbacks", round);
    MPI_Comm child;
    MPI_Comm_dup(parent, &child);
    check(seen.copied == round + 1, "one dup is one copy callback", round);
    use(child, round);
    check(seen.copied == round + 1 && seen.deleted == round, "a collective ran callbacks", round);
    void* value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(child, keyval, &value, &found);
    check(found != 0 && value == &seen, "the attribute is on the duplicate", round);
    MPI_Comm_free(&child);
    check(seen.deleted == round + 1, "one free is one delete callback", round);
  }
  MPI_Comm_free(&parent);
  check(seen.copied == rounds && seen.deleted == rounds + 1, "callbacks at the end", rounds);
  MPI_Comm_free_keyval(&keyval);
}

void everything(int rounds, int first) {
  communicators(rounds, first);
  datatypes(rounds, first);
  operators(rounds, first);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc == 3 && std::strcmp(argv[1], "--rounds") == 0 ? std::atoi(argv[2]) : 2000;
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  attributes(20);
  const int warm_up = rounds / 4;
  everything(warm_up, 0);
  const long before = tutti::test::resident_kb();
  everything(rounds - warm_up, warm_up);
  const long growth = tutti::test::resident_kb() - before;
  if (growth > allowed_growth_kb) {
    std::fprintf(stderr, "rank %d: memory grew by %ld KiB, allowed %ld\n", rank, growth,
                 allowed_growth_kb);
  }
  check(growth <= allowed_growth_kb, "memory grows", rounds);
  if (rank == 0) std::printf("memory grew by %ld KiB (allowed: %ld)\n", growth, allowed_growth_kb);
  const bool good = tutti::test::print_totals(checks, failures);
  MPI_Finalize();
  return good ? 0 : 1;
}
