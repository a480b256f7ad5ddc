// libtutti.so: the functions of MPI and of Tutti's API, by name. It is loaded into every process a
// preloaded program starts, needs nothing but libc, and passes calls on.
//
// It knows no type of MPI. Every argument is an integer or an address, in a register or 8 bytes of
// the stack (System V x86-64, AArch64), so it is passed on as a word; a result fits in one too.
#include <atomic>
#include <cstdint>

#include "preload/find.hpp"
#include "runtime/functions.hpp"

using Word = std::intptr_t;
static_assert(sizeof(Word) == 8);

#define TUTTI_WORD(kind, i) Word p##i

// The function called at `symbol`: the first call replaces it by the one that serves.
#define TUTTI_PASS(symbol, arity, ...)                                            \
  namespace first {                                                               \
  static Word symbol(TUTTI_EACH(arity, TUTTI_WORD, __VA_ARGS__));                 \
  }                                                                               \
  namespace serving {                                                             \
  static constinit std::atomic symbol{first::symbol};                             \
  }                                                                               \
  static Word first::symbol(TUTTI_EACH(arity, TUTTI_WORD, __VA_ARGS__)) {         \
    using Function = Word (*)(TUTTI_EACH(arity, TUTTI_WORD, __VA_ARGS__));        \
    const auto found = reinterpret_cast<Function>(tutti::preload::find(#symbol)); \
    serving::symbol.store(found, std::memory_order_release);                      \
    return found(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                 \
  }                                                                               \
  extern "C" __attribute__((visibility("default"))) Word symbol(                  \
      TUTTI_EACH(arity, TUTTI_WORD, __VA_ARGS__)) {                               \
    return serving::symbol.load(std::memory_order_acquire)(                       \
        TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                          \
  }

#define TUTTI_FUNCTION(Name, name, arity, ...) \
  TUTTI_PASS(MPI_##Name, arity, __VA_ARGS__)   \
  TUTTI_PASS(tutti_##name, arity, __VA_ARGS__)
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
TUTTI_PASS(tutti_force, 3, comm, text, length)

// Where the library has none, programs that look whether they are there (weak symbols) get Tutti's.
#define TUTTI_FUNCTION(Name, name, arity, ...) TUTTI_PASS(MPI_##Name##_c, arity, __VA_ARGS__)
#include "runtime/functions.def"
#undef TUTTI_FUNCTION

// What of Fortran's interfaces does not call MPI_* inside: MPICH's, then Open MPI's.
TUTTI_PASS(mpi_barrier_f08_, 2, comm, ierror)
#define TUTTI_WITH_IERROR_1 2
#define TUTTI_WITH_IERROR_5 6
#define TUTTI_WITH_IERROR_6 7
#define TUTTI_WITH_IERROR_7 8
#define TUTTI_WITH_IERROR_8 9
#define TUTTI_WITH_IERROR_9 10
#define TUTTI_FUNCTION(Name, name, arity, ...)                               \
  TUTTI_PASS(mpi_##name##_, TUTTI_WITH_IERROR_##arity, __VA_ARGS__, ierror)  \
  TUTTI_PASS(mpi_##name##__, TUTTI_WITH_IERROR_##arity, __VA_ARGS__, ierror) \
  TUTTI_PASS(ompi_##name##_f, TUTTI_WITH_IERROR_##arity, __VA_ARGS__, ierror)
#include "runtime/functions.def"
#undef TUTTI_FUNCTION

// Spawned programs of Open MPI get Tutti too.
TUTTI_PASS(MPI_Comm_spawn, 8, command, argv, maxprocs, info, root, comm, intercomm, errcodes)
TUTTI_PASS(MPI_Comm_spawn_multiple, 9, count, commands, argvs, maxprocs, infos, root, comm,
           intercomm, errcodes)
