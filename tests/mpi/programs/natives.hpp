// Who served a reduction: Tutti calls the native one by these functions, and finds the program's
// before the library's. Include this in one file of a program that exports its symbols.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

namespace natives {

inline int calls = 0;

template <class Function>
Function library(Function, const char* name) {
  ++calls;
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Without Tutti a program's MPI_ function and the library's are one.
inline bool under_tutti() {
  return dlsym(RTLD_NEXT, "MPI_Allreduce") != dlsym(RTLD_NEXT, "PMPI_Allreduce");
}

// Whether a collective that began when `calls` were so many was served by Tutti alone.
inline bool none_since(int before) { return under_tutti() && calls == before; }

}  // namespace natives

#define TUTTI_COUNT(name, parameters, arguments) \
  extern "C" int name parameters { return natives::library(&name, #name) arguments; }

TUTTI_COUNT(PMPI_Allreduce,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (in, out, n, type, op, comm))
TUTTI_COUNT(PMPI_Reduce,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm),
            (in, out, n, type, op, root, comm))
TUTTI_COUNT(PMPI_Scan,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (in, out, n, type, op, comm))
TUTTI_COUNT(PMPI_Exscan,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (in, out, n, type, op, comm))
TUTTI_COUNT(PMPI_Reduce_scatter_block,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (in, out, n, type, op, comm))
TUTTI_COUNT(PMPI_Reduce_scatter,
            (const void* in, void* out, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (in, out, n, type, op, comm))

#undef TUTTI_COUNT
