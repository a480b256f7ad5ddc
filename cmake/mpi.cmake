# The MPI library to build with: the targets tutti_mpi, which brings it, and tutti_mpi_headers, which
# brings what its headers need; TUTTI_MPI becomes the family of its binary interface.
#
# Included where TUTTI_MPI is mpich, openmpi, abi or find. Debian has both libraries, each with
# compiler wrappers of its own names; elsewhere the one that find_package(MPI) finds is taken
# (MPI_HOME, MPI_CXX_COMPILER).
include(CheckSymbolExists)

set(MPI_CXX_SKIP_MPICXX ON)
find_program(TUTTI_MPICXX mpicxx.${TUTTI_MPI} NO_CACHE)
if(TUTTI_MPICXX AND NOT MPI_HOME AND NOT MPI_CXX_COMPILER)
  set(MPI_CXX_COMPILER ${TUTTI_MPICXX})
  set(MPI_C_COMPILER mpicc.${TUTTI_MPI})
  find_program(MPIEXEC_EXECUTABLE mpirun.${TUTTI_MPI} REQUIRED)
endif()
find_package(MPI COMPONENTS C CXX)
if(NOT MPI_FOUND)
  message(FATAL_ERROR "No MPI library is found. Name its folder with -DMPI_HOME=..., or build the \
command alone with -DTUTTI_MPI=none.")
endif()

# MPICH's header is the standard ABI's where this is defined; its wrapper says so for C only.
if(TUTTI_MPI STREQUAL abi)
  target_compile_definitions(MPI::MPI_C INTERFACE MPI_ABI)
  target_compile_definitions(MPI::MPI_CXX INTERFACE MPI_ABI)
endif()

add_library(tutti_mpi INTERFACE)
target_link_libraries(tutti_mpi INTERFACE MPI::MPI_CXX ${CMAKE_DL_LIBS})
add_library(tutti_mpi_headers INTERFACE)
foreach(what INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
  get_target_property(value MPI::MPI_CXX INTERFACE_${what})
  if(value)
    set_target_properties(tutti_mpi_headers PROPERTIES INTERFACE_${what} "${value}")
  endif()
endforeach()

# Which family's mpi.h it is. Intel MPI's and MVAPICH's say MPICH too.
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OPEN_MPI mpi.h TUTTI_IS_OPENMPI)
check_symbol_exists(MPICH_VERSION mpi.h TUTTI_IS_MPICH)
check_symbol_exists(MPI_ABI_VERSION mpi.h TUTTI_IS_ABI)
unset(CMAKE_REQUIRED_LIBRARIES)
if(TUTTI_IS_OPENMPI)
  set(family openmpi)
elseif(TUTTI_IS_MPICH)
  set(family mpich)
elseif(TUTTI_IS_ABI)
  set(family abi)
else()
  message(FATAL_ERROR "${MPI_C_HEADER_DIR}/mpi.h is neither of MPICH's family nor of Open MPI's nor \
of the standard ABI.")
endif()
if(NOT TUTTI_MPI MATCHES "^(find|${family})$")
  message(FATAL_ERROR "TUTTI_MPI is ${TUTTI_MPI}, but ${MPI_C_HEADER_DIR}/mpi.h is of ${family}'s \
family. Name another library with -DMPI_HOME=....")
endif()
set(TUTTI_MPI ${family})
message(STATUS "Tutti for the family of ${family}, built with ${MPI_C_LIBRARIES}")
