#include "runtime/kernels.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "runtime/ways.hpp"

namespace tutti::runtime {

namespace {

// Signed overflow wraps around, as it does in the libraries.
template <class T, class Operation>
T wrapping(T left, T right, Operation operation) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(operation(static_cast<Unsigned>(left), static_cast<Unsigned>(right)));
  } else {
    return operation(left, right);
  }
}

// The right operand, or the left one again if that is a NaN. Of two NaNs processors give the first,
// and compilers put either first: ranks on other processors, or who get operands in other parts,
// would keep another.
template <class T>
T at_most_one_nan(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) return left != left ? left : right;
  return right;
}

struct Sum {
  template <class T>
  T operator()(T left, T right) const {
    return wrapping(left, at_most_one_nan(left, right), [](auto a, auto b) { return a + b; });
  }
};
struct Product {
  template <class T>
  T operator()(T left, T right) const {
    return wrapping(left, at_most_one_nan(left, right), [](auto a, auto b) { return a * b; });
  }
};
// Unordered operands leave `left`.
struct Minimum {
  template <class T>
  T operator()(T left, T right) const {
    return right < left ? right : left;
  }
};
struct Maximum {
  template <class T>
  T operator()(T left, T right) const {
    return right > left ? right : left;
  }
};
struct LogicalXor {
  template <class T>
  T operator()(T left, T right) const {
    return static_cast<T>(!left != !right);
  }
};

// One loop, compiled for each vector unit; which is used is settled when the library is loaded.
#ifdef TUTTI_FOR_EACH_VECTOR_UNIT  // a test has it for one
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12
#define TUTTI_FOR_EACH_VECTOR_UNIT \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TUTTI_FOR_EACH_VECTOR_UNIT __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
// Without those that would round a product and a sum as one, which GCC 12 does whatever it is told.
#define TUTTI_FOR_UNITS_THAT_ROUND_TWICE __attribute__((target_clones("avx2", "default")))
#else
#define TUTTI_FOR_EACH_VECTOR_UNIT
#define TUTTI_FOR_UNITS_THAT_ROUND_TWICE
#endif

// So many bytes may well be worth two loops.
constexpr std::size_t many_bytes = 4096;

// An element's result may take its operand's place; no other element is touched by then.
#define TUTTI_ELEMENTS_ARE_APART _Pragma("GCC ivdep")

// How many of many elements lie before the first line of the cache: where vectors are as long as a
// line, storing each to parts of two takes half as long again.
constexpr std::size_t line = 64;
template <class T>
std::size_t before_line(const T* elements) {
  return -reinterpret_cast<std::uintptr_t>(elements) % line / sizeof(T);
}

template <class T, class Operation>
TUTTI_FOR_EACH_VECTOR_UNIT [[gnu::noinline]] void combine_lines(const T* a, const T* b, T* c,
                                                                std::size_t lines) {
  TUTTI_ELEMENTS_ARE_APART
  for (std::size_t i = 0; i < lines * (line / sizeof(T)); ++i) {
    c[i] = static_cast<T>(Operation{}(a[i], b[i]));
  }
}

// Many elements, of which those between lines are combined with others of a line's length.
// Compilers add one way in a loop and the other way in what is left of it, and of two NaNs the
// first is the sum: ranks, whose memory lies otherwise, would get different bits.
template <class T, class Operation>
void combine_many(const T* a, const T* b, T* c, std::size_t elements) {
  constexpr std::size_t together = line / sizeof(T);
  const std::size_t first = before_line(c), lines = (elements - first) / together;
  const std::size_t end = first + lines * together, last = elements - together;
  T head[together], tail[together];
  combine_lines<T, Operation>(a, b, head, 1);
  combine_lines<T, Operation>(a + last, b + last, tail, 1);
  combine_lines<T, Operation>(a + first, b + first, c + first, lines);
  std::copy(head, head + first, c);
  std::copy(tail + (end - last), tail + together, c + end);
}

template <class T, class Operation>
TUTTI_FOR_EACH_VECTOR_UNIT void combine(const char* left, const char* right, char* into,
                                        std::size_t elements) {
  const T* a = reinterpret_cast<const T*>(left);
  const T* b = reinterpret_cast<const T*>(right);
  T* c = reinterpret_cast<T*>(into);
  if (elements > many_bytes / sizeof(T)) return combine_many<T, Operation>(a, b, c, elements);
  TUTTI_ELEMENTS_ARE_APART
  for (std::size_t i = 0; i < elements; ++i) c[i] = static_cast<T>(Operation{}(a[i], b[i]));
}

// A sum of complex numbers is a sum of twice as many real ones.
template <class Real>
void add_complex(const char* left, const char* right, char* into, std::size_t elements) {
  combine<Real, Sum>(left, right, into, 2 * elements);
}

// Plain arithmetic.
template <class Real>
[[gnu::always_inline]] inline void multiply_parts(const Real* __restrict x,
                                                  const Real* __restrict y,
                                                  Real* __restrict product, std::size_t count) {
  for (std::size_t i = 0; i < 2 * count; i += 2) {
    product[i] = x[i] * y[i] - x[i + 1] * y[i + 1];
    product[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
  }
}

// A mask as wide as the numbers: vectors of these need not be narrowed.
template <class Real>
[[gnu::always_inline]] inline bool are_numbers(const Real* values, std::size_t count) {
  using Mask = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;
  Mask unordered = 0;
  for (std::size_t i = 0; i < count; ++i) unordered |= values[i] != values[i] ? Mask{-1} : Mask{0};
  return unordered == 0;
}

// Products as C99 has them: where a part is no number there may still be an infinity. That is asked
// of a few products at a time, which are otherwise plain arithmetic.
template <class Real>
TUTTI_FOR_UNITS_THAT_ROUND_TWICE void multiply_complex(const char* left, const char* right,
                                                       char* into, std::size_t elements) {
  constexpr std::size_t most = 32;
  const Real* a = reinterpret_cast<const Real*>(left);
  const Real* b = reinterpret_cast<const Real*>(right);
  Real* c = reinterpret_cast<Real*>(into);
  const Real* const end = a + 2 * elements;
  for (; a < end; a += 2 * most, b += 2 * most, c += 2 * most) {
    const auto count = std::min(most, static_cast<std::size_t>(end - a) / 2);
    Real product[2 * most];
    if (count == most) {  // a count that the compiler knows: a fifth less time
      multiply_parts(a, b, product, most);
    } else {
      multiply_parts(a, b, product, count);
    }
    if (are_numbers(product, 2 * count)) {
      std::copy_n(product, 2 * count, c);
      continue;
    }
    for (std::size_t i = 0; i < 2 * count; i += 2) {
      const std::complex<Real> whole =
          std::complex<Real>(a[i], a[i + 1]) * std::complex<Real>(b[i], b[i + 1]);
      c[i] = whole.real();
      c[i + 1] = whole.imag();
    }
  }
}

// `one` if `wins`, by arithmetic: compilers branch on comparisons of floating-point numbers, and
// which of two is the less cannot be predicted.
template <class T>
T select(bool wins, T one, T other) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const auto a = std::bit_cast<Bits>(one), b = std::bit_cast<Bits>(other);
  return std::bit_cast<T>(static_cast<Bits>(b ^ ((a ^ b) & (Bits{0} - Bits{wins}))));
}

// Of equal values the lower place wins.
template <class Value, class Order>
void combine_pairs(const char* left, const char* right, char* into, std::size_t elements) {
  const auto* a = reinterpret_cast<const Pair<Value>*>(left);
  const auto* b = reinterpret_cast<const Pair<Value>*>(right);
  auto* c = reinterpret_cast<Pair<Value>*>(into);
  TUTTI_ELEMENTS_ARE_APART
  for (std::size_t i = 0; i < elements; ++i) {
    const Pair<Value> x = a[i], y = b[i];
    const bool wins = Order{}(x.value, y.value);
    const bool lower = (x.value == y.value) & (x.place < y.place);
    c[i].place = select(wins | lower, x.place, y.place);
    c[i].value = select(wins, x.value, y.value);
  }
}

template <class Value>
Kernel kernel_for_pairs(MPI_Op op) {
  if (op == MPI_MINLOC) return combine_pairs<Value, std::less<>>;
  if (op == MPI_MAXLOC) return combine_pairs<Value, std::greater<>>;
  return nullptr;
}

#ifdef TUTTI_WAYS_OF_OPENMPI
constexpr bool orders_floating = false;
#else
constexpr bool orders_floating = true;
#endif

template <class T>
Kernel kernel_for(MPI_Op op) {
  if (op == MPI_SUM) return combine<T, Sum>;
  if (op == MPI_PROD) return combine<T, Product>;
  if constexpr (std::is_integral_v<T> || orders_floating) {
    if (op == MPI_MIN) return combine<T, Minimum>;
    if (op == MPI_MAX) return combine<T, Maximum>;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == MPI_BAND) return combine<T, std::bit_and<>>;
    if (op == MPI_BOR) return combine<T, std::bit_or<>>;
    if (op == MPI_BXOR) return combine<T, std::bit_xor<>>;
    if (op == MPI_LAND) return combine<T, std::logical_and<>>;
    if (op == MPI_LOR) return combine<T, std::logical_or<>>;
    if (op == MPI_LXOR) return combine<T, LogicalXor>;
  }
  return nullptr;
}

template <class Real>
Kernel kernel_for_complex(MPI_Op op) {
  if (op == MPI_SUM) return add_complex<Real>;
  if (op == MPI_PROD) return multiply_complex<Real>;
  return nullptr;
}

struct Known {
  MPI_Datatype type;
  Kernel (*kernel)(MPI_Op);
};

}  // namespace

Kernel kernel_of(MPI_Op op, MPI_Datatype type) {
  const Known table[] = {
      {MPI_SIGNED_CHAR, kernel_for<std::int8_t>},
      {MPI_INT8_T, kernel_for<std::int8_t>},
      {MPI_UNSIGNED_CHAR, kernel_for<std::uint8_t>},
      {MPI_UINT8_T, kernel_for<std::uint8_t>},
      {MPI_BYTE, kernel_for<std::uint8_t>},
      {MPI_SHORT, kernel_for<short>},
      {MPI_INT16_T, kernel_for<std::int16_t>},
      {MPI_UNSIGNED_SHORT, kernel_for<unsigned short>},
      {MPI_UINT16_T, kernel_for<std::uint16_t>},
      {MPI_INT, kernel_for<int>},
      {MPI_INT32_T, kernel_for<std::int32_t>},
      {MPI_UNSIGNED, kernel_for<unsigned>},
      {MPI_UINT32_T, kernel_for<std::uint32_t>},
      {MPI_LONG, kernel_for<long>},
      {MPI_INT64_T, kernel_for<std::int64_t>},
      {MPI_LONG_LONG, kernel_for<long long>},
      {MPI_UNSIGNED_LONG, kernel_for<unsigned long>},
      {MPI_UINT64_T, kernel_for<std::uint64_t>},
      {MPI_UNSIGNED_LONG_LONG, kernel_for<unsigned long long>},
      {MPI_INTEGER, kernel_for<std::int32_t>},
      {MPI_FLOAT, kernel_for<float>},
      {MPI_REAL, kernel_for<float>},
      {MPI_DOUBLE, kernel_for<double>},
      {MPI_DOUBLE_PRECISION, kernel_for<double>},
      {MPI_LONG_DOUBLE, kernel_for<long double>},
      {MPI_C_FLOAT_COMPLEX, kernel_for_complex<float>},
      {MPI_C_DOUBLE_COMPLEX, kernel_for_complex<double>},
      {MPI_FLOAT_INT, kernel_for_pairs<float>},
      {MPI_DOUBLE_INT, kernel_for_pairs<double>},
      {MPI_LONG_INT, kernel_for_pairs<long>},
      {MPI_SHORT_INT, kernel_for_pairs<short>},
      {MPI_2INT, kernel_for_pairs<int>},
  };
  for (const Known& known : table) {
    if (known.type == type) return known.kernel(op);
  }
  return nullptr;
}

}  // namespace tutti::runtime
