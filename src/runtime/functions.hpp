// Expands the table of functions: TUTTI_EACH(arity, f, kinds...) is f(kind, 1), f(kind, 2), ...
#pragma once

#define TUTTI_EACH_1(f, a) f(a, 1)
#define TUTTI_EACH_2(f, a, b) f(a, 1), f(b, 2)
#define TUTTI_EACH_3(f, a, b, c) TUTTI_EACH_2(f, a, b), f(c, 3)
#define TUTTI_EACH_5(f, a, b, c, d, e) f(a, 1), f(b, 2), f(c, 3), f(d, 4), f(e, 5)
#define TUTTI_EACH_6(f, a, b, c, d, e, g) TUTTI_EACH_5(f, a, b, c, d, e), f(g, 6)
#define TUTTI_EACH_7(f, a, b, c, d, e, g, h) TUTTI_EACH_6(f, a, b, c, d, e, g), f(h, 7)
#define TUTTI_EACH_8(f, a, b, c, d, e, g, h, i) TUTTI_EACH_7(f, a, b, c, d, e, g, h), f(i, 8)
#define TUTTI_EACH_9(f, a, b, c, d, e, g, h, i, j) TUTTI_EACH_8(f, a, b, c, d, e, g, h, i), f(j, 9)
#define TUTTI_EACH_10(f, a, b, c, d, e, g, h, i, j, k) \
  TUTTI_EACH_9(f, a, b, c, d, e, g, h, i, j), f(k, 10)
#define TUTTI_EACH(arity, f, ...) TUTTI_EACH_##arity(f, __VA_ARGS__)

// The type of a parameter in MPI's C interface, and in the one with large counts.
#define TUTTI_C_In const void*
#define TUTTI_C_Out void*
#define TUTTI_C_N int
#define TUTTI_C_Ns const int*
#define TUTTI_C_Ds const int*
#define TUTTI_C_T MPI_Datatype
#define TUTTI_C_Ts const MPI_Datatype*
#define TUTTI_C_O MPI_Op
#define TUTTI_C_C MPI_Comm
#define TUTTI_C_R int
#define TUTTI_LARGE_In const void*
#define TUTTI_LARGE_Out void*
#define TUTTI_LARGE_N MPI_Count
#define TUTTI_LARGE_Ns const MPI_Count*
#define TUTTI_LARGE_Ds const MPI_Aint*
#define TUTTI_LARGE_T MPI_Datatype
#define TUTTI_LARGE_Ts const MPI_Datatype*
#define TUTTI_LARGE_O MPI_Op
#define TUTTI_LARGE_C MPI_Comm
#define TUTTI_LARGE_R int

// And in the C++ API.
#define TUTTI_API_In const void*
#define TUTTI_API_Out void*
#define TUTTI_API_N std::int64_t
#define TUTTI_API_Ns const std::int64_t*
#define TUTTI_API_Ds const std::int64_t*
#define TUTTI_API_T MPI_Datatype
#define TUTTI_API_Ts const MPI_Datatype*
#define TUTTI_API_O MPI_Op
#define TUTTI_API_C MPI_Comm
#define TUTTI_API_R int

#define TUTTI_C_PARAMETER(kind, i) TUTTI_C_##kind p##i
#define TUTTI_LARGE_PARAMETER(kind, i) TUTTI_LARGE_##kind p##i
#define TUTTI_API_PARAMETER(kind, i) TUTTI_API_##kind p##i
#define TUTTI_ARGUMENT(kind, i) p##i
