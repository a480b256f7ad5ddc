// The C++ API: the same runtime that serves a preloaded program.
#include <mpi.h>

#include <concepts>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/collectives.hpp"
#include "runtime/communicator.hpp"
#include "runtime/functions.hpp"
#include "runtime/process.hpp"

namespace tutti {

using runtime::Count;

#ifdef TUTTI_LARGE_COUNTS
namespace {

// Counts for a library whose type for them is another one of as many bits.
struct Wide {
  const Count* counts;
  template <std::integral T>
  explicit(false) operator const T*() const {
    static_assert(sizeof(T) == sizeof(Count));
    return reinterpret_cast<const T*>(counts);
  }
};
template <class Value>
Value wide(Value value) {
  return value;
}
Wide wide(const Count* counts) { return {counts}; }

}  // namespace

#define PMPI_Barrier_c PMPI_Barrier
#define TUTTI_WIDE(kind, i) wide(p##i)
#define TUTTI_NATIVE(Name, arity, ...) PMPI_##Name##_c(TUTTI_EACH(arity, TUTTI_WIDE, __VA_ARGS__))
#else
namespace {

// The last of a collective's arguments.
template <class... Arguments>
MPI_Comm communicator_of(const Arguments&... arguments) {
  return std::get<sizeof...(arguments) - 1>(std::tie(arguments...));
}

// Hands 64-bit counts to a library whose counts are ints; those that do not fit are an error.
class Narrow {
 public:
  template <class... Arguments>
  explicit Narrow(Collective collective, const Arguments&... arguments)
      : comm_(communicator_of(arguments...)) {
    if (comm_ == MPI_COMM_NULL) return;
    int is_inter = 0, rank = 0;
    PMPI_Comm_test_inter(comm_, &is_inter);
    const bool of_the_others = is_inter != 0 && !info(collective).reduces;
    of_the_others ? PMPI_Comm_remote_size(comm_, &p_) : PMPI_Comm_size(comm_, &p_);
    PMPI_Comm_rank(comm_, &rank);
    (look_at(arguments, rank), ...);
  }

  template <class Value>
  Value operator()(Value value) {
    return value;
  }
  int operator()(Count count) {
    fits_ = fits_ && std::in_range<int>(count);
    return static_cast<int>(count);
  }
  const int* operator()(const Count* counts) {
    if (counts == nullptr || !arrays_count_) return nullptr;
    std::vector<int>& narrow = kept_.emplace_back();
    narrow.reserve(static_cast<std::size_t>(p_));
    for (int i = 0; i < p_; ++i) narrow.push_back((*this)(counts[i]));
    return narrow.data();
  }
  // Calls the collective with narrowed arguments, if they all fitted.
  template <class Function, class... Arguments>
  int call(Function function, Arguments... arguments) {
    if (fits_) return function(arguments...);
    PMPI_Comm_call_errhandler(comm_, MPI_ERR_COUNT);
    return MPI_ERR_COUNT;
  }

 private:
  // A root is the only int: of a rooted collective arrays are there on the root only.
  void look_at(int root, int rank) { arrays_count_ = root == rank || root == MPI_ROOT; }
  template <class Value>
  void look_at(const Value&, int) {}

  MPI_Comm comm_;
  int p_ = 0;
  bool arrays_count_ = true;
  bool fits_ = true;
  std::deque<std::vector<int> > kept_;  // one for each array: those before stay where they are
};

}  // namespace

#define TUTTI_NARROWED(kind, i) narrow(p##i)
#define TUTTI_NATIVE(Name, arity, ...)                                               \
  [&] {                                                                              \
    Narrow narrow(collective, TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));       \
    return narrow.call(PMPI_##Name, TUTTI_EACH(arity, TUTTI_NARROWED, __VA_ARGS__)); \
  }()
#endif

// C names: what libtutti.so exports under C++'s is src/preload/api.cpp.
#define TUTTI_FUNCTION(Name, name, arity, ...)                                    \
  extern "C" __attribute__((visibility("default"))) int tutti_##name(             \
      TUTTI_EACH(arity, TUTTI_API_PARAMETER, __VA_ARGS__)) {                      \
    [[maybe_unused]] constexpr Collective collective = Collective::name;          \
    return runtime::name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__),          \
                         [&] { return TUTTI_NATIVE(Name, arity, __VA_ARGS__); }); \
  }
#include "runtime/functions.def"
#undef TUTTI_FUNCTION

namespace {

void force(MPI_Comm comm, std::string_view algorithms) {
  const Forced forced = parse_forced(algorithms);
  runtime::Attached* const attached = runtime::attached_to(comm);
  if (attached == nullptr) return;
  if (attached->served == nullptr && !runtime::serves_from_now(*attached, comm)) return;
  attached->served->selector = runtime::forced_selector(forced, *attached->served);
  attached->served->forget_prepared();
}

}  // namespace

// Null, or what was wrong, to be freed. No exception leaves this library: the program has a C++
// library of its own.
extern "C" __attribute__((visibility("default"))) char* tutti_force(MPI_Comm comm, const char* text,
                                                                    std::size_t length) {
  try {
    force(comm, {text, length});
    return nullptr;
  } catch (const std::exception& error) {
    return strdup(error.what());
  }
}

}  // namespace tutti
