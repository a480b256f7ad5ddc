// Reduction operators: which there are, and on what.
#pragma once

#include <mpi.h>

#include "runtime/datatype.hpp"

namespace tutti::runtime {

// Whether MPI allows the operator on the datatype. What it does not allow is for the native
// library to reject; operators made by the user are allowed on everything.
bool is_legal(MPI_Op op, const Datatype& type);

// Whether the result has the same bits in whatever order operands are combined.
bool is_exact(MPI_Op op, const Datatype& type);

// Whether the operator must see operands as the user's count has them: it is the user's own, and
// may rely on it, unless TUTTI_USER_OPS says that all take any length.
bool needs_whole_operands(MPI_Op op);

// Whether the operator is one of MPI's own for reductions: they commute, and are never freed.
bool is_predefined(MPI_Op op);

bool is_made_by_user(MPI_Op op);

}  // namespace tutti::runtime
