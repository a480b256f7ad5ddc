// Every kernel gives what MPI_Reduce_local gives, bit for bit, wherever the result is to be: in the
// place of the right operand, of the left one, or elsewhere: kernels_test [SEED]
//
// NaNs have signs and payloads. Which of two NaNs a sum or product keeps is the compiler's choice,
// so there the library's may be another; but it is the same one wherever the result is.
//
// For integers the judge is arithmetic in 128 bits instead: MPICH 4.0.2 takes the MIN and MAX of
// unsigned numbers as if they had signs, and Open MPI 4.1.4 saturates sums of 8 and 16 bits.
#include "runtime/kernels.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using tutti::runtime::Kernel;
using tutti::runtime::Pair;

int compared = 0, wrong = 0;
int native_wrong = 0;  // in integers

// A NaN that is told from others by its lowest bits.
template <class T>
T nan_of(unsigned char payload) {
  T value = std::numeric_limits<T>::quiet_NaN();
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  bytes[0] = payload;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Ordinary values, with the awkward ones among them.
template <class T>
std::vector<T> operands(std::size_t count, std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> awkward{T(0), T(1), T(-1), Limits::max(), Limits::lowest(), Limits::min()};
  if constexpr (Limits::has_quiet_NaN) {
    for (T value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(-0.0),
                    -Limits::quiet_NaN(), nan_of<T>(1), nan_of<T>(2), -nan_of<T>(3)}) {
      awkward.push_back(value);
    }
  }
  std::vector<T> result(count);
  for (T& value : result) {
    const auto drawn = random();
    value = drawn % 4 == 0 ? awkward[(drawn / 4) % awkward.size()]
                           : static_cast<T>(static_cast<std::int64_t>(drawn) / 3) / T(7);
  }
  return result;
}

template <class T>
T exact(MPI_Op op, T left, T right) {
  const __int128 a = left, b = right;
  if (op == MPI_SUM) return static_cast<T>(a + b);
  if (op == MPI_PROD)
    return static_cast<T>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  if (op == MPI_MIN) return static_cast<T>(a < b ? a : b);
  if (op == MPI_MAX) return static_cast<T>(a > b ? a : b);
  if (op == MPI_BAND) return static_cast<T>(a & b);
  if (op == MPI_BOR) return static_cast<T>(a | b);
  if (op == MPI_BXOR) return static_cast<T>(a ^ b);
  if (op == MPI_LAND) return a != 0 && b != 0 ? 1 : 0;
  if (op == MPI_LOR) return a != 0 || b != 0 ? 1 : 0;
  return (a != 0) != (b != 0) ? 1 : 0;  // MPI_LXOR
}

// Three vectors: the kernel's results in the place of the right operand, of the left one,
// elsewhere.
template <class T>
std::vector<std::vector<T>> results(Kernel kernel, const std::vector<T>& left,
                                    const std::vector<T>& right, std::size_t first,
                                    std::size_t count) {
  const auto bytes = [&](const std::vector<T>& vector) {
    return reinterpret_cast<const char*>(vector.data() + first);
  };
  const auto into = [&](std::vector<T>& vector) {
    return reinterpret_cast<char*>(vector.data() + first);
  };
  std::vector<std::vector<T>> all{right, left, right};
  kernel(bytes(left), bytes(all[0]), into(all[0]), count);
  kernel(bytes(all[1]), bytes(right), into(all[1]), count);
  kernel(bytes(left), bytes(right), into(all[2]), count);
  return all;
}

void complain(const char* op_name, const char* type_name, std::size_t i, std::size_t count) {
  std::printf("%s of %s, element %zu of %zu: not what it should be\n", op_name, type_name, i,
              count);
  ++wrong;
}

template <class T>
void compare(const char* type_name, MPI_Datatype type, const char* op_name, MPI_Op op,
             std::size_t parts, std::mt19937_64& random) {
  const Kernel kernel = tutti::runtime::kernel_of(op, type);
  if (kernel == nullptr) return;
  // A long double has bytes that are no data.
  const std::size_t data = sizeof(T) == 16 ? 10 : sizeof(T);
  const bool any_nan = op == MPI_SUM || op == MPI_PROD;  // as good as any other
  // Behind elements that stay: wherever lines of the cache begin. The last are as long as that
  // matters.
  for (std::size_t count : {0, 1, 2, 3, 7, 8, 16, 31, 64, 1000, 5000, 5001}) {
    const std::size_t first = count % 3 * parts;
    const std::vector<T> left = operands<T>(first + count * parts, random);
    const std::vector<T> right = operands<T>(first + count * parts, random);
    std::vector<T> theirs = right;
    MPI_Reduce_local(left.data() + first, theirs.data() + first, static_cast<int>(count), type, op);
    if constexpr (std::is_integral_v<T>) {
      for (std::size_t i = first; i < right.size(); ++i) {
        const T judged = exact(op, left[i], right[i]);
        native_wrong += theirs[i] != judged;
        theirs[i] = judged;
      }
    }
    const std::vector<std::vector<T>> ours = results(kernel, left, right, first, count);
    const auto same = [&](const T& a, const T& b) { return std::memcmp(&a, &b, data) == 0; };
    ++compared;
    for (std::size_t i = first; i < right.size(); ++i) {
      const T& mine = ours[0][i];
      const bool both_nan = any_nan && mine != mine && theirs[i] != theirs[i];
      if ((both_nan || same(mine, theirs[i])) && same(mine, ours[1][i]) && same(mine, ours[2][i])) {
        continue;
      }
      complain(op_name, type_name, i, right.size());
      break;
    }
  }
}

template <class T>
void compare_all(const char* name, MPI_Datatype type, std::mt19937_64& random,
                 std::size_t parts = 1) {
  const struct {
    const char* name;
    MPI_Op op;
    bool for_integers_only;
  } operators[] = {{"SUM", MPI_SUM, false},  {"PROD", MPI_PROD, false}, {"MIN", MPI_MIN, false},
                   {"MAX", MPI_MAX, false},  {"BAND", MPI_BAND, true},  {"BOR", MPI_BOR, true},
                   {"BXOR", MPI_BXOR, true}, {"LAND", MPI_LAND, true},  {"LOR", MPI_LOR, true},
                   {"LXOR", MPI_LXOR, true}};
  for (const auto& each : operators) {
    if (each.for_integers_only && !std::is_integral_v<T>) continue;
    compare<T>(name, type, each.name, each.op, parts, random);
  }
}

// Few values, so that many are equal, with the awkward ones among them.
template <class Value>
std::vector<Pair<Value>> drawn_pairs(std::size_t count, std::mt19937_64& random) {
  std::vector<Pair<Value>> result(count);
  for (Pair<Value>& pair : result) {
    const std::vector<Value> some = operands<Value>(1, random);
    pair.value =
        random() % 2 == 0 ? some[0] : static_cast<Value>(static_cast<int>(random() % 5) - 2);
    pair.place = static_cast<int>(random() % 7) - 3;
  }
  return result;
}

// Bit for bit but for bytes that are no data.
template <class Value>
bool same(const Pair<Value>& one, const Pair<Value>& other) {
  return one.place == other.place && std::memcmp(&one.value, &other.value, sizeof one.value) == 0;
}

template <class Value>
void compare_pairs(const char* type_name, MPI_Datatype type, std::mt19937_64& random) {
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    const tutti::runtime::Kernel kernel = tutti::runtime::kernel_of(op, type);
    for (std::size_t count : {0, 1, 2, 3, 7, 8, 16, 31, 64, 1000}) {
      const std::vector<Pair<Value>> left = drawn_pairs<Value>(count, random);
      const std::vector<Pair<Value>> right = drawn_pairs<Value>(count, random);
      std::vector<Pair<Value>> theirs = right;
      MPI_Reduce_local(left.data(), theirs.data(), static_cast<int>(count), type, op);
      ++compared;
      for (const auto& ours : results(kernel, left, right, 0, count)) {
        const auto differs = std::mismatch(ours.begin(), ours.end(), theirs.begin(), same<Value>);
        if (differs.first == ours.end()) continue;
        complain(op == MPI_MINLOC ? "MINLOC" : "MAXLOC", type_name,
                 static_cast<std::size_t>(differs.first - ours.begin()), count);
      }
    }
  }
}

// Of two NaNs, which the sum or the product is depends on no address: ranks have other ones.
template <class Real>
void compare_places(const char* type_name, MPI_Datatype type) {
  constexpr std::size_t most = 5000, shifts = 64 / sizeof(Real);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const auto& [op_name, op] : {std::pair{"SUM", MPI_SUM}, {"PROD", MPI_PROD}}) {
    const tutti::runtime::Kernel kernel = tutti::runtime::kernel_of(op, type);
    for (const std::size_t count : {1, 7, 100, 600, 1100, 5000}) {
      std::vector<Real> first;
      for (std::size_t shift = 0; shift < 3 * shifts; ++shift) {
        const std::size_t at = shift % shifts, other = 3 * shift % shifts;
        std::vector<Real> left(most + shifts, nan), right(most + shifts, -nan), into(most + shifts);
        Real* const places[] = {into.data() + at, left.data() + at, right.data() + other};
        Real* const result = places[shift / shifts];  // apart, or either operand
        kernel(reinterpret_cast<char*>(left.data() + at),
               reinterpret_cast<char*>(right.data() + other), reinterpret_cast<char*>(result),
               count);
        const std::vector<Real> found(result, result + count);
        if (first.empty()) first = found;
        ++compared;
        for (std::size_t i = 0; i < count; ++i) {
          if (std::signbit(found[i]) == std::signbit(first[i])) continue;
          complain(op_name, type_name, i, count);
          break;
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned long seed = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  std::mt19937_64 random(seed);
  compare_all<std::int8_t>("MPI_INT8_T", MPI_INT8_T, random);
  compare_all<signed char>("MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, random);
  compare_all<unsigned char>("MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, random);
  compare_all<std::int16_t>("MPI_INT16_T", MPI_INT16_T, random);
  compare_all<unsigned short>("MPI_UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, random);
  compare_all<int>("MPI_INT", MPI_INT, random);
  compare_all<unsigned>("MPI_UNSIGNED", MPI_UNSIGNED, random);
  compare_all<long>("MPI_LONG", MPI_LONG, random);
  compare_all<unsigned long>("MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, random);
  compare_all<long long>("MPI_LONG_LONG", MPI_LONG_LONG, random);
  compare_all<std::uint64_t>("MPI_UINT64_T", MPI_UINT64_T, random);
  compare_all<float>("MPI_FLOAT", MPI_FLOAT, random);
  compare_all<double>("MPI_DOUBLE", MPI_DOUBLE, random);
  compare_all<long double>("MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, random);
  compare_all<float>("MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, random, 2);
  compare_all<double>("MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, random, 2);
  compare_places<float>("MPI_FLOAT", MPI_FLOAT);
  compare_places<double>("MPI_DOUBLE", MPI_DOUBLE);
  compare_pairs<float>("MPI_FLOAT_INT", MPI_FLOAT_INT, random);
  compare_pairs<double>("MPI_DOUBLE_INT", MPI_DOUBLE_INT, random);
  compare_pairs<long>("MPI_LONG_INT", MPI_LONG_INT, random);
  compare_pairs<short>("MPI_SHORT_INT", MPI_SHORT_INT, random);
  compare_pairs<int>("MPI_2INT", MPI_2INT, random);
  std::printf("%d comparisons, %d wrong, seed %lu; integers wrong natively: %d\n", compared, wrong,
              seed, native_wrong);
  MPI_Finalize();
  return wrong == 0 && compared > 1000 ? 0 : 1;
}
