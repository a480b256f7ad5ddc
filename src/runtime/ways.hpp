// Whose ways the MPI library has, where libraries differ.
//
// The standard ABI's header does not tell. The libraries that have it so far, MPICH 5 and Intel
// MPI, are of MPICH's making.
#pragma once

#include <mpi.h>

#if defined MPICH || (defined MPI_ABI_VERSION && !defined OPEN_MPI)
#define TUTTI_WAYS_OF_MPICH
#elif defined OPEN_MPI
#define TUTTI_WAYS_OF_OPENMPI
#endif
