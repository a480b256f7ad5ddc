// MPI's C interface: every collective call of a program comes here instead of to its library.
#include "preload/next.hpp"
#include "runtime/collectives.hpp"
#include "runtime/communicator.hpp"
#include "runtime/functions.hpp"

namespace tutti::runtime {

namespace {

// Whether a call is like one that went to the native collective: it says the same, or, where no
// rank knows the sizes, all calls go there.
template <Collective collective, class... Parameters>
bool was_passed_on(MPI_Comm comm, Parameters... parameters) {
  Attached* const attached = attached_to_last(comm);
  if (attached == nullptr || attached->served == nullptr) return false;
  Communicator& state = *attached->served;
  if constexpr (info(collective).sizes_known()) {
    if (!state.passed_on(collective).says_same(attached->p, parameters...)) return false;
  } else {
    if (!state.is_always_native(collective)) return false;
  }
  ++attached->calls;
  return true;
}

template <Collective collective, class... Parameters>
void remember([[maybe_unused]] Communicator* again, Parameters... parameters) {
  if constexpr (info(collective).sizes_known()) {
    if (again != nullptr) again->passed_on(collective).write_down(again->p, parameters...);
  }
}

}  // namespace

}  // namespace tutti::runtime

constinit tutti::preload::FindNext tutti_next = nullptr;

// The call itself is kept apart, so that one that is passed on needs no stack.
#define TUTTI_FUNCTION(Name, name, arity, ...)                                                   \
  TUTTI_NEXT(Name, TUTTI_C_PARAMETER, arity, __VA_ARGS__)                                        \
  [[gnu::noinline]] static int serve_##name(TUTTI_EACH(arity, TUTTI_C_PARAMETER, __VA_ARGS__)) { \
    const auto native = [&](tutti::runtime::Communicator* again) {                               \
      tutti::runtime::remember<tutti::Collective::name>(                                         \
          again, TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                                \
      return tutti::preload::next::Name.load(std::memory_order_relaxed)(                         \
          TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                                       \
    };                                                                                           \
    return tutti::runtime::name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__), native);         \
  }                                                                                              \
  extern "C" __attribute__((visibility("default"))) int MPI_##Name(                              \
      TUTTI_EACH(arity, TUTTI_C_PARAMETER, __VA_ARGS__)) {                                       \
    if (tutti::runtime::was_passed_on<tutti::Collective::name>(                                  \
            p##arity, TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__))) {                         \
      return tutti::preload::next::Name.load(std::memory_order_relaxed)(                         \
          TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                                       \
    }                                                                                            \
    return serve_##name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                         \
  }
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
