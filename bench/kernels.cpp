// Tutti's arithmetic against the MPI library's own: nanoseconds of each operator on each datatype
// that Tutti has a kernel for, by Tutti and by MPI_Reduce_local, in cache and out of it.
//
// Both take turns; the least time of each counts. Out of cache, a copy of as many bytes tells what
// memory can do.
#include "runtime/kernels.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace {

constexpr std::size_t in_cache = std::size_t{8} << 10;
constexpr std::size_t out_of_cache = std::size_t{32} << 20;

// Elements made of numbers from 0 to 3.
template <class Element, class Make>
void fill_with(Make make, std::span<char> bytes, std::uint32_t state) {
  for (std::size_t at = 0; at + sizeof(Element) <= bytes.size(); at += sizeof(Element)) {
    state = state * 1664525u + 1013904223u;
    const Element element = make(static_cast<int>(state >> 30));
    std::memcpy(&bytes[at], &element, sizeof element);
  }
}
template <class T>
void fill(std::span<char> bytes, std::uint32_t seed) {
  fill_with<T>([](int number) { return static_cast<T>(number); }, bytes, seed);
}
template <class T>
void fill_pairs(std::span<char> bytes, std::uint32_t seed) {
  const auto make = [](int number) {
    return tutti::runtime::Pair<T>{static_cast<T>(number), number};
  };
  fill_with<tutti::runtime::Pair<T>>(make, bytes, seed);
}

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
                      {"float, int", MPI_FLOAT_INT, fill_pairs<float>},
                      {"double, int", MPI_DOUBLE_INT, fill_pairs<double>},
                      {"long, int", MPI_LONG_INT, fill_pairs<long>},
                      {"short, int", MPI_SHORT_INT, fill_pairs<short>},
                      {"int, int", MPI_2INT, fill_pairs<int>}};

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

// Each call has operands of its own, new ones every turn: which of two is the less cannot be
// learnt.
Times times_of(tutti::runtime::Kernel kernel, MPI_Op op, const Type& type, Operands& data,
               std::size_t bytes) {
  MPI_Aint bound = 0, extent = 0;
  MPI_Type_get_extent(type.handle, &bound, &extent);
  const auto elements = static_cast<int>(bytes / static_cast<std::size_t>(extent));
  const std::size_t calls = bytes <= in_cache ? 50 : 1;
  const char* const left = data.left.data();
  char* const right = data.right.data();
  std::uint32_t seed = 2;
  const auto refill = [&] { type.fill({right, calls * bytes}, seed); };
  Least ours, native;
  type.fill({data.left.data(), bytes}, 1);
  for (int turn = 0; turn < (bytes <= in_cache ? 20 : 5); ++turn, ++seed) {
    refill();
    ours.add(calls, [&](std::size_t i) {
      kernel(left, right + i * bytes, right + i * bytes, static_cast<std::size_t>(elements));
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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Operands data;
  const double copy = copy_time(data);
  std::printf("%-16s%-10s%10s%12s%12s%14s\n", "type", "operator", "KiB", "Tutti ns", "native ns",
              "native/Tutti");
  for (const Type& type : types) {
    for (const Operator& op : operators) {
      const tutti::runtime::Kernel kernel = tutti::runtime::kernel_of(op.handle, type.handle);
      if (kernel == nullptr) continue;
      for (const std::size_t bytes : {in_cache, out_of_cache}) {
        const Times times = times_of(kernel, op.handle, type, data, bytes);
        std::printf("%-16s%-10s%10zu%12.0f%12.0f%14.2f\n", type.name, op.name, bytes >> 10,
                    times.ours * 1e9, times.native * 1e9, times.native / times.ours);
      }
    }
  }
  std::printf("\ncopy of %zu KiB: %.0f ns\n", out_of_cache >> 10, copy * 1e9);
  MPI_Finalize();
}
