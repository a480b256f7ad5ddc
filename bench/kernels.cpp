// Tutti's arithmetic against the MPI library's own: nanoseconds of each operator on each datatype
// that Tutti has a kernel for, by Tutti and by MPI_Reduce_local, in cache and out of it.
//
//   kernels [--check] [--csv]
//
// Both take turns; the least time of each counts. Out of cache, a copy of the operands tells what
// memory can do. --check: exit status 1 if a kernel takes over a quarter longer than the library.
#include "runtime/kernels.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace {

constexpr double tolerance = 1.25;
constexpr std::size_t in_cache = std::size_t{8} << 10;
constexpr std::size_t out_of_cache = std::size_t{32} << 20;

// Numbers from 0 to 3.
template <class T>
void fill(std::span<char> bytes, std::uint32_t state) {
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 30; };
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T value = T(next());
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

// What MPI calls a pair, as C lays it out.
template <class T>
struct Pair {
  explicit Pair(std::uint32_t number) : value(static_cast<T>(number)), place(number) {}
  T value;
  int place;
};

struct Type {
  const char* name;
  MPI_Datatype handle;
  void (*fill)(std::span<char>, std::uint32_t seed);
};

struct Operator {
  const char* name;
  MPI_Op handle;
};

const Type types[] = {{"signed char", MPI_SIGNED_CHAR, fill<signed char>},
                      {"unsigned char", MPI_UNSIGNED_CHAR, fill<unsigned char>},
                      {"short", MPI_SHORT, fill<short>},
                      {"unsigned short", MPI_UNSIGNED_SHORT, fill<unsigned short>},
                      {"int", MPI_INT, fill<int>},
                      {"unsigned", MPI_UNSIGNED, fill<unsigned>},
                      {"long", MPI_LONG, fill<long>},
                      {"unsigned long", MPI_UNSIGNED_LONG, fill<unsigned long>},
                      {"float", MPI_FLOAT, fill<float>},
                      {"double", MPI_DOUBLE, fill<double>},
                      {"long double", MPI_LONG_DOUBLE, fill<long double>},
                      {"float complex", MPI_C_FLOAT_COMPLEX, fill<float>},
                      {"double complex", MPI_C_DOUBLE_COMPLEX, fill<double>},
                      {"float, int", MPI_FLOAT_INT, fill<Pair<float>>},
                      {"double, int", MPI_DOUBLE_INT, fill<Pair<double>>},
                      {"long, int", MPI_LONG_INT, fill<Pair<long>>},
                      {"short, int", MPI_SHORT_INT, fill<Pair<short>>},
                      {"int, int", MPI_2INT, fill<Pair<int>>}};

const Operator operators[] = {{"SUM", MPI_SUM},   {"PROD", MPI_PROD},     {"MIN", MPI_MIN},
                              {"MAX", MPI_MAX},   {"BAND", MPI_BAND},     {"BOR", MPI_BOR},
                              {"BXOR", MPI_BXOR}, {"LAND", MPI_LAND},     {"LOR", MPI_LOR},
                              {"LXOR", MPI_LXOR}, {"MINLOC", MPI_MINLOC}, {"MAXLOC", MPI_MAXLOC}};

// Seconds of one call, the least of several.
class Least {
 public:
  template <class Function>
  void add(std::size_t calls, Function call) {
    const double start = MPI_Wtime();
    for (std::size_t i = 0; i < calls; ++i) call(i);
    seconds_ = std::min(seconds_, (MPI_Wtime() - start) / static_cast<double>(calls));
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = std::numeric_limits<double>::max();
};

struct Operands {
  std::vector<char> left = std::vector<char>(out_of_cache);
  std::vector<char> right = std::vector<char>(out_of_cache);
};

struct Times {
  double ours, native;
};

// Each call has operands of its own: which of two is the less is not known from the call before.
Times times_of(tutti::runtime::Kernel kernel, MPI_Op op, const Type& type, Operands& data,
               std::size_t bytes) {
  MPI_Aint bound = 0, extent = 0;
  MPI_Type_get_extent(type.handle, &bound, &extent);
  const auto elements = static_cast<int>(bytes / static_cast<std::size_t>(extent));
  const std::size_t calls = bytes <= in_cache ? 50 : 1;
  const char* const left = data.left.data();
  char* const right = data.right.data();
  const auto refill = [&] { type.fill({right, calls * bytes}, 2); };
  Least ours, native;
  type.fill({data.left.data(), bytes}, 1);
  for (int turn = 0; turn < (bytes <= in_cache ? 20 : 5); ++turn) {
    refill();
    ours.add(calls, [&](std::size_t i) {
      kernel(left, right + i * bytes, static_cast<std::size_t>(elements));
    });
    refill();
    native.add(calls, [&](std::size_t i) {
      MPI_Reduce_local(left, right + i * bytes, elements, type.handle, op);
    });
  }
  return {ours.seconds(), native.seconds()};
}

double copy_time(Operands& data) {
  Least copy;
  for (int turn = 0; turn < 5; ++turn) {
    copy.add(1,
             [&](std::size_t) { std::memcpy(data.right.data(), data.left.data(), out_of_cache); });
  }
  return copy.seconds();
}

int main_of(bool check, bool csv) {
  Operands data;
  const double copy = copy_time(data);
  std::printf(csv ? "type,operator,kib,ns,native_ns,ratio\n" : "%-16s%-10s%10s%12s%12s%12s\n",
              "type", "operator", "KiB", "Tutti ns", "native ns", "native/Tutti");
  int slower = 0;
  for (const Type& type : types) {
    for (const Operator& op : operators) {
      const tutti::runtime::Kernel kernel = tutti::runtime::kernel_of(op.handle, type.handle);
      if (kernel == nullptr) continue;
      for (const std::size_t bytes : {in_cache, out_of_cache}) {
        const Times times = times_of(kernel, op.handle, type, data, bytes);
        const bool is_slower = times.ours > tolerance * times.native;
        slower += is_slower;
        std::printf(
            csv ? "\"%s\",%s,%zu,%.0f,%.0f,%.2f%s\n" : "%-16s%-10s%10zu%12.0f%12.0f%12.2f%s\n",
            type.name, op.name, bytes >> 10, times.ours * 1e9, times.native * 1e9,
            times.native / times.ours, is_slower && !csv ? "  slower" : "");
      }
    }
  }
  if (!csv) {
    std::printf("\ncopy of %zu MiB: %.0f ns; %d slower than the library\n", out_of_cache >> 20,
                copy * 1e9, slower);
  }
  return check && slower > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto asked = [&](std::string_view option) {
    return std::any_of(argv + 1, argv + argc, [&](const char* each) { return each == option; });
  };
  const int result = main_of(asked("--check"), asked("--csv"));
  MPI_Finalize();
  return result;
}
