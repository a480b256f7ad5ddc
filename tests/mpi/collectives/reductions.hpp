// The (datatype, operator) pairs under test, each with a plain oracle.
#pragma once

#include <mpi.h>

#include <deque>
#include <string>
#include <vector>

#include "types.hpp"

namespace tutti::test {

// left = left op right, on the leaves of one element.
using Combine = void (*)(Value* left, const Value* right);

// What `rank` contributes at one leaf of one element.
using Input = Value (*)(Seed seed, int rank, long element, int leaf);

struct Reduction {
  std::string name;
  const TestType* type;
  MPI_Op op;
  Combine combine;
  Input input;
  bool predefined;

  // All leaves `rank` contributes in elements [first, first + count).
  std::vector<Value> contribution(Seed seed, int rank, long first, long count) const;

  // The oracle: contributions of ranks [first_rank, last_rank] combined in rank order.
  std::vector<Value> fold(Seed seed, int first_rank, int last_rank, long first, long count) const;
};

// Owns the operators; its datatypes live in `types`. Destroy before MPI_Finalize.
class ReductionTable {
 public:
  explicit ReductionTable(TypeTable& types);
  ~ReductionTable();
  ReductionTable(const ReductionTable&) = delete;
  ReductionTable& operator=(const ReductionTable&) = delete;

  const std::deque<Reduction>& all() const { return reductions_; }

 private:
  void add_predefined(TypeTable& types);
  void add_user_defined(TypeTable& types);
  template <class Layout, Combine combine>
  void add_user_op(TypeTable& types, const std::string& name, bool commutative);

  std::deque<Reduction> reductions_;
};

}  // namespace tutti::test
