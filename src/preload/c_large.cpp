// MPI-4.0's C interface with large counts, where the library has one (MPICH).
#include "runtime/collectives.hpp"
#include "runtime/functions.hpp"

// A barrier counts nothing.
#define PMPI_Barrier_c PMPI_Barrier

#define TUTTI_FUNCTION(Name, name, arity, ...)                                        \
  extern "C" __attribute__((visibility("default"))) int MPI_##Name##_c(               \
      TUTTI_EACH(arity, TUTTI_LARGE_PARAMETER, __VA_ARGS__)) {                        \
    return tutti::runtime::name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__), [&] { \
      return PMPI_##Name##_c(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));         \
    });                                                                               \
  }
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
