// Operators of the user's that rely on the length they are called with.
//
// Seen by users as wrong sums and maxima, silently: hand-written operators handle one element or
// one record and never look at the length. https://github.com/trilinos/Trilinos/issues/15235
//
// Whatever serves, the results of such operators are right. Where Tutti serves, each call of an
// operator has the count of the collective, or the block's in a reduce-scatter.
#include <algorithm>
#include <string>
#include <vector>

#include "natives.hpp"
#include "program.hpp"

using program::p;
using program::rank;

namespace {

constexpr int repetitions = 8;  // so that not only native calls are met
constexpr int fields = 6;       // of a record: sums and, last, a maximum

std::vector<int> lengths;

// One record and nothing else.
void combine_record(void* in, void* inout, int* length, MPI_Datatype*) {
  lengths.push_back(*length);
  if (*length != fields) return;
  const auto* left = static_cast<const int*>(in);
  auto* right = static_cast<int*>(inout);
  for (int i = 0; i + 1 < fields; ++i) right[i] += left[i];
  right[fields - 1] = std::max(left[fields - 1], right[fields - 1]);
}

// One number, whatever `length` says.
void add_one(void* in, void* inout, int* length, MPI_Datatype*) {
  lengths.push_back(*length);
  *static_cast<int*>(inout) += *static_cast<const int*>(in);
}

void add_all(void* in, void* inout, int* length, MPI_Datatype*) {
  lengths.push_back(*length);
  for (int i = 0; i < *length; ++i) {
    static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
  }
}

enum Kind { allreduce, reduce, scan, exscan, reduce_scatter_block, reduce_scatter, kinds };
constexpr const char* names[] = {
    "allreduce", "reduce", "scan", "exscan", "reduce_scatter_block", "reduce_scatter"};

bool scatters(Kind kind) { return kind == reduce_scatter_block || kind == reduce_scatter; }

void call(Kind kind, const int* in, int* out, int count, MPI_Datatype type, MPI_Op op) {
  const std::vector<int> counts(static_cast<std::size_t>(p), count);
  MPI_Comm comm = MPI_COMM_WORLD;
  if (kind == allreduce) MPI_Allreduce(in, out, count, type, op, comm);
  if (kind == reduce) MPI_Reduce(in, out, count, type, op, p - 1, comm);
  if (kind == scan) MPI_Scan(in, out, count, type, op, comm);
  if (kind == exscan) MPI_Exscan(in, out, count, type, op, comm);
  if (kind == reduce_scatter_block) MPI_Reduce_scatter_block(in, out, count, type, op, comm);
  if (kind == reduce_scatter) MPI_Reduce_scatter(in, out, counts.data(), type, op, comm);
}

// The ranks whose operands are in this rank's result are those below: none for no result.
int operands(Kind kind) {
  if (kind == scan) return rank + 1;
  if (kind == exscan) return rank;
  return kind == reduce && rank != p - 1 ? 0 : p;
}

struct Operator {
  const char* name;
  MPI_User_function* function;
  int count;     // of a call
  bool fragile;  // right for this count alone
};

// Rank r gives r + i in place i of each block.
bool right(Kind kind, const Operator& op, const std::vector<int>& out) {
  const int q = operands(kind);
  for (int i = 0; q > 0 && i < op.count; ++i) {
    const bool is_max = op.function == combine_record && i == fields - 1;
    const int wanted = is_max ? q - 1 + i : q * (q - 1) / 2 + q * i;
    if (out[static_cast<std::size_t>(i)] != wanted) return false;
  }
  return true;
}

void run(Kind kind, const Operator& op, bool commutes) {
  const int blocks = scatters(kind) ? p : 1;
  std::vector<int> in(static_cast<std::size_t>(blocks * op.count)), out(in.size(), -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = rank + static_cast<int>(i) % op.count;
  lengths.clear();
  const int before = natives::calls;
  MPI_Op handle;
  MPI_Op_create(op.function, commutes, &handle);
  call(kind, in.data(), out.data(), op.count, MPI_INT, handle);
  MPI_Op_free(&handle);
  const std::string what = std::string(names[kind]) + " of " + std::to_string(op.count) + " by " +
                           op.name + (commutes ? ", commutative" : "");
  const bool by_tutti = natives::none_since(before);
  // Both libraries' own reduce-scatters join blocks, and cut them.
  if (by_tutti || !scatters(kind) || !op.fragile) {
    program::expect(right(kind, op, out), what + ": the result is wrong");
  }
  if (!by_tutti) return;
  const auto odd =
      std::find_if(lengths.begin(), lengths.end(), [&](int length) { return length != op.count; });
  program::expect(odd == lengths.end(), what + ": the operator was called with length " +
                                            std::to_string(odd == lengths.end() ? 0 : *odd));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program::learn_ranks();
  const Operator operators[] = {{"a record's operator", combine_record, fields, true},
                                {"an operator for one number", add_one, 1, true},
                                {"an operator that reads its length", add_all, 300, false},
                                {"an operator that reads its length", add_all, 5000, false},
                                {"an operator that reads its length", add_all, 100000, false}};
  for (const Operator& op : operators) {
    for (const bool commutes : {false, true}) {
      for (int kind = 0; kind < kinds; ++kind) {
        for (int i = 0; i < repetitions; ++i) run(Kind(kind), op, commutes);
      }
    }
  }
  return program::end();
}
