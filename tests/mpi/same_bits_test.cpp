// Every rank gets the same bits of an allreduce, whatever the operator, the datatype and the
// algorithm, and whether it works in place: same_bits_test [SEED]
//
// The operands are those whose result depends on how it is computed: NaNs of many kinds, zeros of
// both signs, ties, numbers whose sum is rounded.
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "each_algorithm.hpp"

namespace {

int rank, p;
int compared = 0, wrong = 0;

// A candidate for the best; of equal ones the operator keeps the second.
struct Candidate {
  double value;
  long owner;
};

void keep_better(void* left, void* right, int* length, MPI_Datatype*) {
  const auto* a = static_cast<const Candidate*>(left);
  auto* b = static_cast<Candidate*>(right);
  for (int i = 0; i < *length; ++i) {
    if (a[i].value > b[i].value) b[i] = a[i];
  }
}

template <class Real>
Real drawn_real(std::mt19937_64& random) {
  using Limits = std::numeric_limits<Real>;
  const Real awkward[] = {Real(0.0),
                          -Real(0.0),
                          Limits::quiet_NaN(),
                          -Limits::quiet_NaN(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Real(1),
                          Real(-1)};
  const auto drawn = random();
  if (drawn % 4 != 0) return awkward[drawn / 4 % std::size(awkward)];
  return static_cast<Real>(static_cast<double>(random() % 1000003) / 7 - 50000);
}

// Numbers whose sums and products are rounded, and neither overflow nor vanish.
template <class Real>
Real drawn_inexact(std::mt19937_64& random) {
  return static_cast<Real>(1 + static_cast<double>(random() % 1000003) / 1000003);
}

// What is compared of an element; the rest of its bytes is no data.
struct Type {
  const char* name;
  MPI_Datatype handle;
  std::size_t size, data;
  void (*draw)(char* element, std::mt19937_64& random);
};

template <class Element>
void put(char* at, const Element& element) {
  std::memcpy(at, &element, sizeof element);
}

template <class Real>
void draw_awkward(char* at, std::mt19937_64& random) {
  put(at, drawn_real<Real>(random));
}
template <class Real>
void draw_inexact(char* at, std::mt19937_64& random) {
  put(at, drawn_inexact<Real>(random));
}
template <class Real>
void draw_complex(char* at, std::mt19937_64& random) {
  put(at, std::complex<Real>(drawn_inexact<Real>(random), drawn_inexact<Real>(random)));
}
template <class Value>
void draw_pair(char* at, std::mt19937_64& random) {
  put(at, random() % 2 == 0 ? static_cast<Value>(random() % 3)
                            : static_cast<Value>(drawn_real<double>(random)));
  put(at + sizeof(Value), rank);
}
void draw_int_pair(char* at, std::mt19937_64& random) {
  put(at, static_cast<int>(random() % 3));
  put(at + sizeof(int), rank);
}
void draw_candidate(char* at, std::mt19937_64& random) {
  put(at, Candidate{static_cast<double>(random() % 3), rank});
}

bool same_on_all_ranks(const std::vector<char>& result, const Type& type) {
  std::vector<char> first = result;
  PMPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  int differs = 0;
  for (std::size_t at = 0; at < result.size(); at += type.size) {
    differs |= std::memcmp(&result[at], &first[at], type.data) != 0;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return differs == 0;
}

enum class InPlace { none, odd_ranks, all };

void compare(MPI_Comm comm, const std::string& forced, const char* op_name, MPI_Op op,
             const Type& type, int count, InPlace place, std::mt19937_64& random) {
  std::vector<char> own(static_cast<std::size_t>(count) * type.size);
  for (std::size_t at = 0; at < own.size(); at += type.size) type.draw(&own[at], random);
  const bool in_place = place == InPlace::all || (place == InPlace::odd_ranks && rank % 2 == 1);
  std::vector<char> result = in_place ? own : std::vector<char>(own.size());
  MPI_Allreduce(in_place ? MPI_IN_PLACE : own.data(), result.data(), count, type.handle, op, comm);
  ++compared;
  if (same_on_all_ranks(result, type)) return;
  ++wrong;
  if (rank == 0) {
    std::printf("%s, %s of %d %s%s: ranks get different bits\n", forced.c_str(), op_name, count,
                type.name, place == InPlace::none ? "" : ", in place");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const unsigned long seed = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  std::mt19937_64 random(seed * 1000 + static_cast<unsigned long>(rank));
  MPI_Datatype candidate = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(Candidate), MPI_BYTE, &candidate);
  MPI_Type_commit(&candidate);
  MPI_Op better = MPI_OP_NULL;
  MPI_Op_create(keep_better, 1, &better);

  const Type doubles{"doubles", MPI_DOUBLE, 8, 8, draw_awkward<double>};
  const Type floats{"floats", MPI_FLOAT, 4, 4, draw_awkward<float>};
  const Type long_doubles{"long doubles", MPI_LONG_DOUBLE, sizeof(long double), 10,
                          draw_awkward<long double>};
  const Type inexact{"inexact doubles", MPI_DOUBLE, 8, 8, draw_inexact<double>};
  const Type inexact_floats{"inexact floats", MPI_FLOAT, 4, 4, draw_inexact<float>};
  const Type complexes{"complex numbers", MPI_C_DOUBLE_COMPLEX, 16, 16, draw_complex<double>};
  const Type double_ints{"pairs of a double", MPI_DOUBLE_INT, 16, 12, draw_pair<double>};
  const Type float_ints{"pairs of a float", MPI_FLOAT_INT, 8, 8, draw_pair<float>};
  const Type two_ints{"pairs of ints", MPI_2INT, 8, 8, draw_int_pair};
  const Type candidates{"candidates", candidate, sizeof(Candidate), sizeof(Candidate),
                        draw_candidate};
  const struct {
    const char* name;
    MPI_Op op;
    const Type& type;
  } reductions[] = {{"MAX", MPI_MAX, doubles},
                    {"MIN", MPI_MIN, doubles},
                    {"MAX", MPI_MAX, floats},
                    {"MIN", MPI_MIN, long_doubles},
                    {"MAXLOC", MPI_MAXLOC, double_ints},
                    {"MINLOC", MPI_MINLOC, float_ints},
                    {"MAXLOC", MPI_MAXLOC, two_ints},
                    {"SUM", MPI_SUM, doubles},
                    {"SUM", MPI_SUM, inexact},
                    {"PROD", MPI_PROD, inexact_floats},
                    {"PROD", MPI_PROD, complexes},
                    {"the better", better, candidates}};
  with_each_algorithm(tutti::Collective::allreduce, [&](MPI_Comm comm, const std::string& forced) {
    for (const auto& [name, op, type] : reductions) {
      for (const int count : {1, 2, 13, 500}) {
        for (const InPlace place : {InPlace::none, InPlace::odd_ranks, InPlace::all}) {
          compare(comm, forced, name, op, type, count, place, random);
        }
      }
    }
    // Past what stays in the cache of arithmetic done by parts.
    compare(comm, forced, "MAX", MPI_MAX, doubles, 5001, InPlace::odd_ranks, random);
    compare(comm, forced, "MIN", MPI_MIN, floats, 9001, InPlace::none, random);
  });
  if (rank == 0) std::printf("%d comparisons, %d wrong, seed %lu\n", compared, wrong, seed);
  MPI_Op_free(&better);
  MPI_Type_free(&candidate);
  MPI_Finalize();
  return wrong == 0 && compared > 1000 ? 0 : 1;
}
