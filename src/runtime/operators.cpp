#include "runtime/operators.hpp"

#include "runtime/process.hpp"

namespace tutti::runtime {

namespace {

enum class OperatorKind : std::uint8_t {
  user,
  order,
  arithmetic,
  logical,
  bitwise,
  location,
  none
};

OperatorKind kind_of(MPI_Op op) {
  if (op == MPI_MAX || op == MPI_MIN) return OperatorKind::order;
  if (op == MPI_SUM || op == MPI_PROD) return OperatorKind::arithmetic;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return OperatorKind::logical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) return OperatorKind::bitwise;
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return OperatorKind::location;
  if (op == MPI_REPLACE || op == MPI_NO_OP || op == MPI_OP_NULL) return OperatorKind::none;
  return OperatorKind::user;
}

}  // namespace

bool is_predefined(MPI_Op op) {
  const OperatorKind kind = kind_of(op);
  return kind != OperatorKind::user && kind != OperatorKind::none;
}

bool is_made_by_user(MPI_Op op) { return kind_of(op) == OperatorKind::user; }

bool is_exact(MPI_Op op, const Datatype& type) {
  switch (type.operand) {
    case OperandKind::integer:
    case OperandKind::logical:
    case OperandKind::byte:
      return is_predefined(op);
    default:
      return false;  // a sum may round, a NaN may win or lose, a pair may come of two
  }
}

// Logical operators are not for them (MPI-4.0, 6.9.2); libraries differ in which they take.
static bool is_fortran_integer(MPI_Datatype type) {
  return type == MPI_INTEGER || type == MPI_INTEGER1 || type == MPI_INTEGER2 ||
         type == MPI_INTEGER4 || type == MPI_INTEGER8;
}

bool needs_whole_operands(MPI_Op op) { return !is_predefined(op) && !user_ops_take_any_length(); }

// MPI-4.0, 6.9.2 and 6.9.4.
bool is_legal(MPI_Op op, const Datatype& type) {
  const OperandKind operand = type.operand;
  switch (kind_of(op)) {
    case OperatorKind::user:
      return true;
    case OperatorKind::order:
      return operand == OperandKind::integer || operand == OperandKind::floating;
    case OperatorKind::arithmetic:
      return operand == OperandKind::integer || operand == OperandKind::floating ||
             operand == OperandKind::complex;
    case OperatorKind::logical:
      return operand == OperandKind::logical ||
             (operand == OperandKind::integer && !is_fortran_integer(type.handle));
    case OperatorKind::bitwise:
      return operand == OperandKind::integer || operand == OperandKind::byte;
    case OperatorKind::location:
      return operand == OperandKind::pair;
    case OperatorKind::none:
      return false;
  }
  return false;
}

}  // namespace tutti::runtime
