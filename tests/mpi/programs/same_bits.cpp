// Every rank gets the same bits of an allreduce: ties, NaN, zeros of both signs, MINLOC and MAXLOC.
//
// Seen by users as a hang: ranks branch on a result, and on some it is another one.
// https://github.com/open-mpi/ompi/issues/11721, https://github.com/GEOS-ESM/MAPL/issues/3289
//
// MPICH's own results differ between ranks; under Tutti they do not, but for which NaN a native sum
// is. Where an operator does not commute the winner of a tie is known.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "natives.hpp"
#include "program.hpp"

using program::p;
using program::rank;

namespace {

constexpr int repetitions = 8;

struct Candidate {
  double value;
  int owner, place;
};

// Of equals the second: the highest rank's.
void best(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* left = static_cast<const Candidate*>(in);
  auto* right = static_cast<Candidate*>(inout);
  for (int i = 0; i < *length; ++i) {
    if (left[i].value > right[i].value) right[i] = left[i];
  }
}

// Whether all ranks hold what rank 0 holds. No collective is used.
bool same_everywhere(const void* data, std::size_t bytes) {
  std::vector<char> first(bytes);
  std::memcpy(first.data(), data, bytes);
  const int count = static_cast<int>(bytes);
  if (rank == 0) {
    for (int other = 1; other < p; ++other) {
      MPI_Send(first.data(), count, MPI_CHAR, other, 5, MPI_COMM_WORLD);
    }
  } else {
    MPI_Recv(first.data(), count, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return std::memcmp(first.data(), data, bytes) == 0;
}

#ifdef OPEN_MPI
constexpr bool native_sums_agree = true;
#else
constexpr bool native_sums_agree = false;
#endif

// One allreduce of `in`, whose results must be the same, into `out`.
template <class Value>
void reduced(const std::vector<Value>& in, std::vector<Value>& out, MPI_Datatype type, MPI_Op op,
             const std::string& what) {
  const int before = natives::calls;
  MPI_Allreduce(in.data(), out.data(), static_cast<int>(in.size()), type, op, MPI_COMM_WORLD);
  const bool by_tutti = natives::none_since(before);
  const bool same = same_everywhere(out.data(), out.size() * sizeof(Value));
  if (by_tutti || op != MPI_SUM || native_sums_agree) {
    program::expect(same, what + " of " + std::to_string(in.size()) + ": not what rank 0 has");
  }
}

void winners(std::size_t n, bool commutes) {
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(Candidate), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(best, commutes, &op);
  std::vector<Candidate> in(n), out(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = {double(i % 3), rank, int(i)};
  reduced(in, out, type, op, commutes ? "a tie, commutative" : "a tie");
  for (const Candidate& each : out) {
    const bool is_last = each.owner == p - 1;
    program::expect(commutes || is_last, "a tie: the winner is not the last of the equals");
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

// The special value is `at`'s only, or every second rank's for at = -1.
template <class Value>
void extremes(std::size_t n, Value special, int at, MPI_Datatype type, const char* what) {
  std::vector<Value> in(n), out(n);
  const bool mine = at == rank || (at < 0 && rank % 2 == 1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto usual = special == 0 ? Value(0) : Value(int(i) % 3 + rank);
    in[i] = mine ? special : usual;
  }
  reduced(in, out, type, MPI_MAX, std::string("maximum with ") + what);
  reduced(in, out, type, MPI_MIN, std::string("minimum with ") + what);
  reduced(in, out, type, MPI_SUM, std::string("sum with ") + what);
}

struct Located {
  double value;
  int index;
};

void located(std::size_t n, bool with_nan) {
  std::vector<Located> in(n), out(n);
  std::memset(in.data(), 0, n * sizeof(Located));  // padding too
  std::memset(out.data(), 0, n * sizeof(Located));
  for (std::size_t i = 0; i < n; ++i) {
    in[i].value = with_nan && rank == p / 2 ? NAN : double(i % 2);
    in[i].index = p - rank;
  }
  reduced(in, out, MPI_DOUBLE_INT, MPI_MAXLOC, "maximum and place");
  reduced(in, out, MPI_DOUBLE_INT, MPI_MINLOC, "minimum and place");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  for (int i = 0; i < repetitions; ++i) {
    for (const std::size_t n : {1, 7, 64, 3000}) {
      winners(n, true);
      winners(n, false);
      for (const int at : {0, p / 2, p - 1, -1}) {
        extremes<double>(n, NAN, at, MPI_DOUBLE, "NaN");
        extremes<float>(n, NAN, at, MPI_FLOAT, "NaN, float");
        extremes<double>(n, -0.0, at, MPI_DOUBLE, "-0");
      }
      located(n, false);
      located(n, true);
    }
  }
  return program::end();
}
