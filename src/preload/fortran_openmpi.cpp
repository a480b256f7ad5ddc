// Open MPI's Fortran interfaces. They call PMPI_* inside, so a program's calls are seen only here:
// mpif.h and `use mpi` come as mpi_xxx_, `use mpi_f08` as ompi_xxx_f.
#include <mpi.h>

#include <vector>

#include "preload/bound.hpp"
#include "runtime/collectives.hpp"
#include "runtime/functions.hpp"

namespace {

// MPI_IN_PLACE and MPI_BOTTOM are addresses of variables. A Fortran program and each of its
// libraries may have such a variable; the right one is that which MPI's Fortran library compares
// with.
void* fortran_variable(const char* name) { return tutti::preload::bound_in("libmpi_mpifh", name); }

void* buffer(void* address) {
  static void* const in_place = fortran_variable("mpi_fortran_in_place_");
  static void* const bottom = fortran_variable("mpi_fortran_bottom_");
  if (address == nullptr) return nullptr;
  if (address == in_place) return MPI_IN_PLACE;
  return address == bottom ? MPI_BOTTOM : address;
}

// An array of datatypes, one for each rank a rank of the communicator exchanges with.
class Datatypes {
 public:
  Datatypes(const MPI_Fint* types, MPI_Fint fortran_comm) {
    const MPI_Comm comm = PMPI_Comm_f2c(fortran_comm);
    int count = 0, is_inter = 0;
    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return;
    is_inter != 0 ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
    for (int i = 0; i < count; ++i) converted_.push_back(PMPI_Type_f2c(types[i]));
  }
  operator const MPI_Datatype*() const { return converted_.data(); }

 private:
  std::vector<MPI_Datatype> converted_;
};

}  // namespace

#define TUTTI_F_In void*
#define TUTTI_F_Out void*
#define TUTTI_F_N const MPI_Fint*
#define TUTTI_F_Ns const MPI_Fint*
#define TUTTI_F_Ds const MPI_Fint*
#define TUTTI_F_T const MPI_Fint*
#define TUTTI_F_Ts const MPI_Fint*
#define TUTTI_F_O const MPI_Fint*
#define TUTTI_F_C const MPI_Fint*
#define TUTTI_F_R const MPI_Fint*
#define TUTTI_F_PARAMETER(kind, i) TUTTI_F_##kind f##i

#define TUTTI_FROM_In(f) buffer(f)
#define TUTTI_FROM_Out(f) buffer(f)
#define TUTTI_FROM_N(f) *(f)
#define TUTTI_FROM_Ns(f) (f)
#define TUTTI_FROM_Ds(f) (f)
#define TUTTI_FROM_T(f) PMPI_Type_f2c(*(f))
#define TUTTI_FROM_Ts(f) Datatypes(f, *comm)
#define TUTTI_FROM_O(f) PMPI_Op_f2c(*(f))
#define TUTTI_FROM_C(f) PMPI_Comm_f2c(*(f))
#define TUTTI_FROM_R(f) *(f)
#define TUTTI_CONVERTED(kind, i) TUTTI_FROM_##kind(f##i)

// A Fortran integer is a C int here, so arrays of counts are passed as they are.
static_assert(sizeof(MPI_Fint) == sizeof(int));

#define TUTTI_FORTRAN(symbol, Name, arity, ...)                                     \
  extern "C" __attribute__((visibility("default"))) void symbol(                    \
      TUTTI_EACH(arity, TUTTI_F_PARAMETER, __VA_ARGS__), MPI_Fint* error) {         \
    [[maybe_unused]] const MPI_Fint* const comm = f##arity;                         \
    const int result = MPI_##Name(TUTTI_EACH(arity, TUTTI_CONVERTED, __VA_ARGS__)); \
    if (error != nullptr) *error = result;                                          \
  }
#define TUTTI_FUNCTION(Name, name, arity, ...)            \
  TUTTI_FORTRAN(mpi_##name##_, Name, arity, __VA_ARGS__)  \
  TUTTI_FORTRAN(mpi_##name##__, Name, arity, __VA_ARGS__) \
  TUTTI_FORTRAN(ompi_##name##_f, Name, arity, __VA_ARGS__)
#include "runtime/functions.def"
#undef TUTTI_FUNCTION
