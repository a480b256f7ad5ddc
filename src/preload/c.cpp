// MPI's C interface: every collective call of a program comes here instead of to its library.
#include "runtime/collectives.hpp"
#include "runtime/functions.hpp"

#define TUTTI_FUNCTION(Name, name, arity, ...)                                        \
  extern "C" __attribute__((visibility("default"))) int MPI_##Name(                   \
      TUTTI_EACH(arity, TUTTI_C_PARAMETER, __VA_ARGS__)) {                            \
    return tutti::runtime::name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__), [&] { \
      return PMPI_##Name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));             \
    });                                                                               \
  }
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
