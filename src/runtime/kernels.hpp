// Tutti's own arithmetic for the common predefined operators and datatypes.
//
// The results are those of MPI_Reduce_local, bit for bit: sums and products round once, MIN and MAX
// treat NaN and signed zeros as the library does. What cannot be promised (Open MPI's MIN and MAX
// of floating-point numbers depend on where in the vector a NaN or a zero lies) is left to the
// library, and so are Fortran's logicals and pairs. Integers wrap around and are compared as what
// they are, also where a library does otherwise (docs/reference/limits.md).
#pragma once

#include <mpi.h>

#include <cstddef>

namespace tutti::runtime {

// What MPI calls a pair, MPI_DOUBLE_INT and its like, as C lays it out.
template <class Value>
struct Pair {
  Value value;
  int place;
};

// into[i] = left[i] op right[i], with the same bits wherever `into` is: it may be either operand.
// Otherwise none of the three overlap.
using Kernel = void (*)(const char* left, const char* right, char* into, std::size_t elements);

// Null where MPI_Reduce_local is to be called.
Kernel kernel_of(MPI_Op op, MPI_Datatype type);

}  // namespace tutti::runtime
