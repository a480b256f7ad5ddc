#include "runtime/kernels.hpp"

#include <cstdint>
#include <type_traits>

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

struct Sum {
  template <class T>
  static T apply(T left, T right) {
    return wrapping(left, right, [](auto a, auto b) { return a + b; });
  }
};
struct Product {
  template <class T>
  static T apply(T left, T right) {
    return wrapping(left, right, [](auto a, auto b) { return a * b; });
  }
};
// Unordered operands leave `left`.
struct Minimum {
  template <class T>
  static T apply(T left, T right) {
    return right < left ? right : left;
  }
};
struct Maximum {
  template <class T>
  static T apply(T left, T right) {
    return right > left ? right : left;
  }
};
struct BitAnd {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left & right);
  }
};
struct BitOr {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left | right);
  }
};
struct BitXor {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left ^ right);
  }
};
struct LogicalAnd {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left && right);
  }
};
struct LogicalOr {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left || right);
  }
};
struct LogicalXor {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(!left != !right);
  }
};

// One loop, compiled for each vector unit; which is used is settled when the library is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TUTTI_FOR_EACH_VECTOR_UNIT \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TUTTI_FOR_EACH_VECTOR_UNIT
#endif

template <class T, class Operation>
TUTTI_FOR_EACH_VECTOR_UNIT void combine(const char* left, char* right, std::size_t elements) {
  const T* __restrict a = reinterpret_cast<const T*>(left);
  T* __restrict b = reinterpret_cast<T*>(right);
  for (std::size_t i = 0; i < elements; ++i) b[i] = Operation::apply(a[i], b[i]);
}

// A sum of complex numbers is a sum of twice as many real ones.
template <class Real>
void add_complex(const char* left, char* right, std::size_t elements) {
  combine<Real, Sum>(left, right, 2 * elements);
}

#ifdef OPEN_MPI
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
    if (op == MPI_BAND) return combine<T, BitAnd>;
    if (op == MPI_BOR) return combine<T, BitOr>;
    if (op == MPI_BXOR) return combine<T, BitXor>;
    if (op == MPI_LAND) return combine<T, LogicalAnd>;
    if (op == MPI_LOR) return combine<T, LogicalOr>;
    if (op == MPI_LXOR) return combine<T, LogicalXor>;
  }
  return nullptr;
}

// Products are left to the library: GCC 12 fuses their multiplications and additions, which then
// round once where the library rounds twice.
template <class Real>
Kernel kernel_for_complex(MPI_Op op) {
  return op == MPI_SUM ? add_complex<Real> : nullptr;
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
  };
  for (const Known& known : table) {
    if (known.type == type) return known.kernel(op);
  }
  return nullptr;
}

}  // namespace tutti::runtime
