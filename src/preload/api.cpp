// The C++ API by its names in C++, of which the types of MPI's handles are a part: those of every
// family, or of the simulator. The rest of libtutti.so knows no type of MPI, nor does this.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/functions.hpp"

#ifdef TUTTI_SMPI
#include <mpi.h>
#else
struct ompi_communicator_t;
struct ompi_datatype_t;
struct ompi_op_t;
struct MPI_ABI_Comm;
struct MPI_ABI_Datatype;
struct MPI_ABI_Op;
#endif

namespace {

using Word = std::intptr_t;  // as an argument is passed on (preload/stub.cpp)

template <class Value>
Word word(Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<Word>(value);
  } else {
    return value;
  }
}

// The types of parameters, by the kinds in runtime/functions.def.
template <class Communicator, class Datatype, class Op>
struct Parameters {
  using In = const void*;
  using Out = void*;
  using N = std::int64_t;
  using Ns = const std::int64_t*;
  using Ds = const std::int64_t*;
  using T = Datatype;
  using Ts = const Datatype*;
  using O = Op;
  using C = Communicator;
  using R = int;
};
#ifdef TUTTI_SMPI
using Simulated = Parameters<MPI_Comm, MPI_Datatype, MPI_Op>;
#else
using Mpich = Parameters<int, int, int>;
using OpenMpi = Parameters<ompi_communicator_t*, ompi_datatype_t*, ompi_op_t*>;
using Abi = Parameters<MPI_ABI_Comm*, MPI_ABI_Datatype*, MPI_ABI_Op*>;
#endif

}  // namespace

#define TUTTI_WORD(kind, i) Word
#define TUTTI_AS_WORD(kind, i) word(p##i)
#define TUTTI_SIMULATED(kind, i) Simulated::kind p##i
#define TUTTI_MPICH(kind, i) Mpich::kind p##i
#define TUTTI_OPENMPI(kind, i) OpenMpi::kind p##i
#define TUTTI_ABI(kind, i) Abi::kind p##i

#define TUTTI_NAMED(name, PARAMETER, arity, ...)                                          \
  namespace tutti {                                                                       \
  [[gnu::visibility("default")]] int name(TUTTI_EACH(arity, PARAMETER, __VA_ARGS__)) {    \
    return static_cast<int>(tutti_##name(TUTTI_EACH(arity, TUTTI_AS_WORD, __VA_ARGS__))); \
  }                                                                                       \
  }
#ifdef TUTTI_SMPI
#define TUTTI_FOR_ALL(name, arity, ...) TUTTI_NAMED(name, TUTTI_SIMULATED, arity, __VA_ARGS__)
#else
#define TUTTI_FOR_ALL(name, arity, ...)                \
  TUTTI_NAMED(name, TUTTI_MPICH, arity, __VA_ARGS__)   \
  TUTTI_NAMED(name, TUTTI_OPENMPI, arity, __VA_ARGS__) \
  TUTTI_NAMED(name, TUTTI_ABI, arity, __VA_ARGS__)
#endif

#define TUTTI_FUNCTION(Name, name, arity, ...)                              \
  extern "C" Word tutti_##name(TUTTI_EACH(arity, TUTTI_WORD, __VA_ARGS__)); \
  TUTTI_FOR_ALL(name, arity, __VA_ARGS__)
#include "runtime/functions.def"
#undef TUTTI_FUNCTION

extern "C" char* tutti_force(Word comm, const char* text, std::size_t length);

#define TUTTI_FORCE_FOR(Family)                                                               \
  namespace tutti {                                                                           \
  [[gnu::visibility("default")]] char* force_or_say_why_not(Family::C comm, const char* text, \
                                                            std::size_t length) {             \
    return tutti_force(word(comm), text, length);                                             \
  }                                                                                           \
  }
#ifdef TUTTI_SMPI
TUTTI_FORCE_FOR(Simulated)
#else
TUTTI_FORCE_FOR(Mpich)
TUTTI_FORCE_FOR(OpenMpi)
TUTTI_FORCE_FOR(Abi)
#endif
