// Kernels for each vector unit that the processor has give the same bits, and those that are used
// are among them: levels_test [SEED]
//
// Ranks of one communicator may run on processors of two kinds, and in calls whose result is the
// same on all ranks each may compute it for itself. Also where operands are cut in two is a matter
// of time, when they come in parts: so of two NaNs each kernel keeps the same one at every place.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "runtime/kernels.hpp"

#if defined __x86_64__ && __GNUC__ >= 12 && !defined __clang__  // as in CMakeLists.txt
#define TUTTI_TEST_HAS_LEVELS
#endif

// kernels.cpp, compiled for one unit each.
namespace tutti::runtime {
Kernel kernel_of_default(MPI_Op op, MPI_Datatype type);
#ifdef TUTTI_TEST_HAS_LEVELS
Kernel kernel_of_v3(MPI_Op op, MPI_Datatype type);
Kernel kernel_of_v4(MPI_Op op, MPI_Datatype type);
#endif
}  // namespace tutti::runtime

namespace {

using tutti::runtime::Kernel;

struct Level {
  const char* name;
  Kernel (*kernel_of)(MPI_Op, MPI_Datatype);
};

std::vector<Level> levels() {
  std::vector<Level> all{{"as chosen", tutti::runtime::kernel_of},
                         {"default", tutti::runtime::kernel_of_default}};
#ifdef TUTTI_TEST_HAS_LEVELS
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back({"v3", tutti::runtime::kernel_of_v3});
  if (__builtin_cpu_supports("x86-64-v4")) all.push_back({"v4", tutti::runtime::kernel_of_v4});
#endif
  return all;
}

int compared = 0, wrong = 0;

void complain(const char* level, const char* type, const char* op, std::size_t byte,
              std::size_t elements, const char* what) {
  if (++wrong <= 20) {
    std::printf("FAILED: %s, %s of %s, byte %zu of %zu elements: %s\n", level, op, type, byte,
                elements, what);
  }
}

struct Type {
  const char* name;
  MPI_Datatype handle;
  std::size_t size;
  void (*draw)(char* at, std::mt19937_64& random);
};

template <class T>
void draw(char* at, std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  T value = static_cast<T>(random());
  if constexpr (std::is_floating_point_v<T>) {
    const T awkward[] = {T(0),
                         T(-0.0),
                         Limits::quiet_NaN(),
                         -Limits::quiet_NaN(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::denorm_min(),
                         Limits::max()};
    value = random() % 3 == 0 ? awkward[random() % std::size(awkward)]
                              : static_cast<T>(1 + static_cast<double>(random() % 1'000'003) / 7);
  }
  std::memcpy(at, &value, sizeof value);
}

template <class Part>
void draw_complex(char* at, std::mt19937_64& random) {
  draw<Part>(at, random);
  draw<Part>(at + sizeof(Part), random);
}

template <class Value>
void draw_pair(char* at, std::mt19937_64& random) {
  if (random() % 2 == 0) {
    draw<Value>(at, random);
  } else {
    const auto value = static_cast<Value>(random() % 3);
    std::memcpy(at, &value, sizeof value);
  }
  const int place = static_cast<int>(random() % 7);
  std::memcpy(at + sizeof(Value), &place, sizeof place);
}

using Bytes = std::vector<char>;

Bytes drawn(const Type& type, std::size_t elements, std::mt19937_64& random) {
  Bytes data(elements * type.size);
  for (std::size_t i = 0; i < elements; ++i) type.draw(data.data() + i * type.size, random);
  return data;
}

Bytes whole(Kernel kernel, const Bytes& left, const Bytes& right, std::size_t elements) {
  Bytes result(left.size());
  kernel(left.data(), right.data(), result.data(), elements);
  return result;
}

// In parts, as messages bring them.
Bytes in_parts(Kernel kernel, const Type& type, const Bytes& left, const Bytes& right,
               std::size_t elements, std::mt19937_64& random) {
  Bytes result(left.size());
  for (std::size_t done = 0; done < elements;) {
    const std::size_t now = std::min<std::size_t>(elements - done, 1 + random() % 700);
    const std::size_t at = done * type.size;
    kernel(left.data() + at, right.data() + at, result.data() + at, now);
    done += now;
  }
  return result;
}

void compare(const Type& type, const char* op_name, MPI_Op op, std::mt19937_64& random) {
  if (tutti::runtime::kernel_of(op, type.handle) == nullptr) return;
  for (const std::size_t elements : {1, 3, 8, 17, 64, 100, 511, 5001}) {
    const Bytes left = drawn(type, elements, random), right = drawn(type, elements, random);
    Bytes first;
    for (const Level& level : levels()) {
      const Kernel kernel = level.kernel_of(op, type.handle);
      const Bytes once = whole(kernel, left, right, elements);
      if (first.empty()) first = once;
      const auto check = [&](const Bytes& found, const char* what) {
        ++compared;
        const auto differs = std::mismatch(found.begin(), found.end(), first.begin());
        if (differs.first == found.end()) return;
        complain(level.name, type.name, op_name,
                 static_cast<std::size_t>(differs.first - found.begin()), elements, what);
      };
      check(once, "not as the first");
      check(in_parts(kernel, type, left, right, elements, random), "in parts it differs");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned long seed = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : std::random_device{}();
  std::mt19937_64 random(seed);
  const Type types[] = {{"MPI_INT8_T", MPI_INT8_T, 1, draw<std::int8_t>},
                        {"MPI_UINT8_T", MPI_UINT8_T, 1, draw<std::uint8_t>},
                        {"MPI_INT16_T", MPI_INT16_T, 2, draw<std::int16_t>},
                        {"MPI_UINT16_T", MPI_UINT16_T, 2, draw<std::uint16_t>},
                        {"MPI_INT32_T", MPI_INT32_T, 4, draw<std::int32_t>},
                        {"MPI_UINT32_T", MPI_UINT32_T, 4, draw<std::uint32_t>},
                        {"MPI_INT64_T", MPI_INT64_T, 8, draw<std::int64_t>},
                        {"MPI_UINT64_T", MPI_UINT64_T, 8, draw<std::uint64_t>},
                        {"MPI_FLOAT", MPI_FLOAT, 4, draw<float>},
                        {"MPI_DOUBLE", MPI_DOUBLE, 8, draw<double>},
                        {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, 8, draw_complex<float>},
                        {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, 16, draw_complex<double>},
                        {"MPI_FLOAT_INT", MPI_FLOAT_INT, 8, draw_pair<float>},
                        {"MPI_2INT", MPI_2INT, 8, draw_pair<int>}};
  const struct {
    const char* name;
    MPI_Op op;
  } operators[] = {{"SUM", MPI_SUM},   {"PROD", MPI_PROD},     {"MIN", MPI_MIN},
                   {"MAX", MPI_MAX},   {"BAND", MPI_BAND},     {"BOR", MPI_BOR},
                   {"BXOR", MPI_BXOR}, {"LAND", MPI_LAND},     {"LOR", MPI_LOR},
                   {"LXOR", MPI_LXOR}, {"MINLOC", MPI_MINLOC}, {"MAXLOC", MPI_MAXLOC}};
  for (const Type& type : types) {
    for (const auto& each : operators) compare(type, each.name, each.op, random);
  }
  std::printf("%zu levels, %d comparisons, %d wrong, seed %lu\n", levels().size(), compared, wrong,
              seed);
  MPI_Finalize();
  return wrong == 0 && compared > 1000 ? 0 : 1;
}
