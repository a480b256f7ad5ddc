// MPI-4.0's C interface with large counts, where the library has one (MPICH).
#include "preload/next.hpp"
#include "runtime/collectives.hpp"
#include "runtime/functions.hpp"

// A barrier counts nothing.
#define PMPI_Barrier_c PMPI_Barrier

#define TUTTI_FUNCTION(Name, name, arity, ...)                                        \
  TUTTI_NEXT(Name##_c, TUTTI_LARGE_PARAMETER, arity, __VA_ARGS__)                     \
  extern "C" __attribute__((visibility("default"))) int MPI_##Name##_c(               \
      TUTTI_EACH(arity, TUTTI_LARGE_PARAMETER, __VA_ARGS__)) {                        \
    return tutti::runtime::name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__), [&] { \
      return tutti::preload::next::Name##_c.load(std::memory_order_relaxed)(          \
          TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                            \
    });                                                                               \
  }
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
