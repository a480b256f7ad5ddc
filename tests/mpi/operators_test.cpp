// operators_test: whether a predefined operator takes a predefined datatype is for the MPI library
// to say. Every pair of them, in each reduction, gives the error class that the library's own
// function gives. Each call is made more than once: later ones find what the first has prepared.
//
//   mpirun -np P operators_test
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

struct Named {
  const char* name;
  MPI_Datatype handle;
};
struct NamedOperator {
  const char* name;
  MPI_Op handle;
};

#define NAMED(x) \
  { #x, x }
const std::vector<NamedOperator> operators{NAMED(MPI_MAX),  NAMED(MPI_MIN),    NAMED(MPI_SUM),
                                           NAMED(MPI_PROD), NAMED(MPI_LAND),   NAMED(MPI_LOR),
                                           NAMED(MPI_LXOR), NAMED(MPI_BAND),   NAMED(MPI_BOR),
                                           NAMED(MPI_BXOR), NAMED(MPI_MAXLOC), NAMED(MPI_MINLOC)};

const std::vector<Named> datatypes{NAMED(MPI_CHAR),
                                   NAMED(MPI_SIGNED_CHAR),
                                   NAMED(MPI_UNSIGNED_CHAR),
                                   NAMED(MPI_WCHAR),
                                   NAMED(MPI_BYTE),
                                   NAMED(MPI_SHORT),
                                   NAMED(MPI_UNSIGNED_SHORT),
                                   NAMED(MPI_INT),
                                   NAMED(MPI_UNSIGNED),
                                   NAMED(MPI_LONG),
                                   NAMED(MPI_UNSIGNED_LONG),
                                   NAMED(MPI_LONG_LONG),
                                   NAMED(MPI_UNSIGNED_LONG_LONG),
                                   NAMED(MPI_INT8_T),
                                   NAMED(MPI_INT16_T),
                                   NAMED(MPI_INT32_T),
                                   NAMED(MPI_INT64_T),
                                   NAMED(MPI_UINT8_T),
                                   NAMED(MPI_UINT16_T),
                                   NAMED(MPI_UINT32_T),
                                   NAMED(MPI_UINT64_T),
                                   NAMED(MPI_AINT),
                                   NAMED(MPI_OFFSET),
                                   NAMED(MPI_COUNT),
                                   NAMED(MPI_FLOAT),
                                   NAMED(MPI_DOUBLE),
                                   NAMED(MPI_LONG_DOUBLE),
                                   NAMED(MPI_C_BOOL),
                                   NAMED(MPI_C_FLOAT_COMPLEX),
                                   NAMED(MPI_C_DOUBLE_COMPLEX),
                                   NAMED(MPI_C_LONG_DOUBLE_COMPLEX),
                                   NAMED(MPI_CXX_BOOL),
                                   NAMED(MPI_CXX_FLOAT_COMPLEX),
                                   NAMED(MPI_CXX_DOUBLE_COMPLEX),
                                   NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX),
                                   NAMED(MPI_FLOAT_INT),
                                   NAMED(MPI_DOUBLE_INT),
                                   NAMED(MPI_LONG_INT),
                                   NAMED(MPI_2INT),
                                   NAMED(MPI_SHORT_INT),
                                   NAMED(MPI_LONG_DOUBLE_INT),
                                   NAMED(MPI_CHARACTER),
                                   NAMED(MPI_LOGICAL),
                                   NAMED(MPI_INTEGER),
                                   NAMED(MPI_INTEGER1),
                                   NAMED(MPI_INTEGER2),
                                   NAMED(MPI_INTEGER4),
                                   NAMED(MPI_INTEGER8),
                                   NAMED(MPI_REAL),
                                   NAMED(MPI_REAL4),
                                   NAMED(MPI_REAL8),
                                   NAMED(MPI_REAL16),
                                   NAMED(MPI_DOUBLE_PRECISION),
                                   NAMED(MPI_COMPLEX),
                                   NAMED(MPI_COMPLEX8),
                                   NAMED(MPI_COMPLEX16),
                                   NAMED(MPI_COMPLEX32),
                                   NAMED(MPI_DOUBLE_COMPLEX),
                                   NAMED(MPI_2INTEGER),
                                   NAMED(MPI_2REAL),
                                   NAMED(MPI_2DOUBLE_PRECISION),
                                   NAMED(MPI_PACKED)};
#undef NAMED

constexpr int count = 2;  // elements for each rank
constexpr std::size_t longest = 32;

struct Buffers {
  std::vector<char> in, out;
  std::vector<int> counts;
  explicit Buffers(int p)
      : in(static_cast<std::size_t>(p) * count * longest),
        out(in.size()),
        counts(static_cast<std::size_t>(p), count) {}
};

#define REDUCTIONS(Prefix)                                                                     \
  {                                                                                            \
    [](Buffers& b, MPI_Datatype t, MPI_Op o, MPI_Comm c) {                                     \
      return Prefix##_Allreduce(b.in.data(), b.out.data(), count, t, o, c);                    \
    },                                                                                         \
        [](Buffers& b, MPI_Datatype t, MPI_Op o, MPI_Comm c) {                                 \
          return Prefix##_Reduce(b.in.data(), b.out.data(), count, t, o, 0, c);                \
        },                                                                                     \
        [](Buffers& b, MPI_Datatype t, MPI_Op o, MPI_Comm c) {                                 \
          return Prefix##_Scan(b.in.data(), b.out.data(), count, t, o, c);                     \
        },                                                                                     \
        [](Buffers& b, MPI_Datatype t, MPI_Op o, MPI_Comm c) {                                 \
          return Prefix##_Exscan(b.in.data(), b.out.data(), count, t, o, c);                   \
        },                                                                                     \
        [](Buffers& b, MPI_Datatype t, MPI_Op o, MPI_Comm c) {                                 \
          return Prefix##_Reduce_scatter_block(b.in.data(), b.out.data(), count, t, o, c);     \
        },                                                                                     \
        [](Buffers& b, MPI_Datatype t, MPI_Op o, MPI_Comm c) {                                 \
          return Prefix##_Reduce_scatter(b.in.data(), b.out.data(), b.counts.data(), t, o, c); \
        },                                                                                     \
  }
using Reduction = int (*)(Buffers&, MPI_Datatype, MPI_Op, MPI_Comm);
const char* const names[] = {"allreduce",     "reduce", "scan", "exscan", "reduce_scatter_block",
                             "reduce_scatter"};
constexpr Reduction native[] = REDUCTIONS(PMPI);
constexpr Reduction served[] = REDUCTIONS(MPI);

int class_of(int error) {
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  return error_class;
}

// MPICH 4.0.2 ends the program in an assertion (opland.c, oplor.c, oplxor.c).
bool ends_the_program([[maybe_unused]] MPI_Op op, [[maybe_unused]] MPI_Datatype type) {
#ifdef MPICH_VERSION
  const bool floating = type == MPI_FLOAT || type == MPI_DOUBLE || type == MPI_LONG_DOUBLE;
  return floating && (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR);
#else
  return false;
#endif
}

int wrong(const NamedOperator& op, const Named& type, Buffers& buffers) {
  int found = 0;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const int expected = class_of(native[i](buffers, type.handle, op.handle, MPI_COMM_WORLD));
    for (int time = 0; time < 2; ++time) {
      const int got = class_of(served[i](buffers, type.handle, op.handle, MPI_COMM_WORLD));
      if (got == expected) continue;
      ++found;
      std::printf("%s, %s on %s: class %d, natively %d\n", names[i], op.name, type.name, got,
                  expected);
    }
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Buffers buffers(p);
  int found = 0;
  for (const NamedOperator& op : operators) {
    for (const Named& type : datatypes) {
      if (type.handle == MPI_DATATYPE_NULL || ends_the_program(op.handle, type.handle)) continue;
      found += wrong(op, type, buffers);
    }
  }
  MPI_Finalize();
  return found == 0 ? 0 : 1;
}
