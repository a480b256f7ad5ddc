// The C++ API by its names in C++; the rest of libtutti.so knows no type of MPI.
#include "runtime/functions.hpp"
#include "tutti/tutti.hpp"

#define TUTTI_FUNCTION(Name, name, arity, ...)                                      \
  extern "C" int tutti_##name(TUTTI_EACH(arity, TUTTI_API_PARAMETER, __VA_ARGS__)); \
  __attribute__((visibility("default"))) int tutti::name(                           \
      TUTTI_EACH(arity, TUTTI_API_PARAMETER, __VA_ARGS__)) {                        \
    return tutti_##name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));            \
  }
#include "runtime/functions.def"
#undef TUTTI_FUNCTION

extern "C" char* tutti_force(MPI_Comm comm, const char* text, std::size_t length);
__attribute__((visibility("default"))) char* tutti::force_or_say_why_not(MPI_Comm comm,
                                                                         const char* text,
                                                                         std::size_t length) {
  return tutti_force(comm, text, length);
}
