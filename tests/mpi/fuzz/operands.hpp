// What reductions combine: datatypes, operators, and values whose result no order can change
// (unless the operator does not commute, and the order is what is tested).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types.hpp"

namespace tutti::fuzz {

enum class Kind : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, boolean };

struct Leaf {
  Kind kind;
  MPI_Aint offset;  // bytes from the element's address
};

int size_of(Kind kind);

struct Operand {
  std::string name;
  MPI_Datatype type;
  std::vector<Leaf> leaves;
};

// Which values are put in.
enum class Values : std::uint8_t { small, factor, order, bits, logical, location, words, matrix };

// A datatype and an operator, as drawn; the numbers mean what operands.cpp lists.
struct Reduction {
  int operand = 0;  // a predefined datatype, or -1: `words` 32-bit words as below
  int op = 0;
  std::vector<MPI_Aint> words;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
};

Reduction draw_reduction(Random& random);

// Another operator for the same datatype.
void redraw_operator(Reduction& reduction, Random& random);

bool is_commutative(const Reduction& reduction);
// MIN or MAX of unsigned numbers.
bool orders_unsigned(const Reduction& reduction);
// Predefined, or laid out without gaps, from the element's address on.
bool is_dense(const Reduction& reduction);
bool has_offset(const Reduction& reduction);
MPI_Aint extent_of(const Reduction& reduction);
std::string describe(const Reduction& reduction);

// The datatype of one case's reductions, which all have the same.
class OperandHolder {
 public:
  // Also tells the user-defined functions how their elements lie from now on.
  const Operand& get(const Reduction& reduction, TypePool& pool);

 private:
  std::optional<Operand> operand_;
};

// The operator of one call. It is freed after it, so that its handle comes back as another.
class OperatorHolder {
 public:
  explicit OperatorHolder(const Reduction& reduction);
  ~OperatorHolder();
  OperatorHolder(const OperatorHolder&) = delete;
  OperatorHolder& operator=(const OperatorHolder&) = delete;

  MPI_Op operator*() const { return op_; }

 private:
  MPI_Op op_;
  bool owned_;
};

// What `rank` contributes: `count` elements from `address` on.
void fill_operands(std::byte* address, long count, const Operand& operand,
                   const Reduction& reduction, Seed seed, int rank);

// Whether a user-defined function was handed another datatype than the call's, since last asked.
bool user_function_was_misled();

}  // namespace tutti::fuzz
