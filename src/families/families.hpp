// Families of MPI libraries. Those of one have the same handles, constants and functions, so that
// an engine built with one of them serves programs of all. Needs nothing but libc.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace tutti {

struct Family {
  const char* name;        // its engine is libtutti-engine-NAME.so
  const char* members;     // for people
  const char* sonames[2];  // as the dynamic loader knows its libraries; null: none
  const char* launched;    // what its launcher has in the environment of ranks; null: any starts it

  bool has(const char* soname) const {
    for (const char* each : sonames) {
      if (each != nullptr && std::strcmp(each, soname) == 0) return true;
    }
    return false;
  }
};

// libmpi.so.12 is what MPICH, Intel MPI, MVAPICH and Cray MPICH agreed on; Debian's MPICH has a
// name of its own. libmpi.so.40 is Open MPI 4 and 5. libmpi_abi.so.1 is MPI-5's, which MPICH 5 and
// Intel MPI 2021 have beside their own.
inline constexpr Family families[]{
    {"mpich", "MPICH", {"libmpich.so.12", "libmpi.so.12"}, "MPI_LOCALRANKID"},
    {"openmpi", "Open MPI", {"libmpi.so.40", nullptr}, "OMPI_COMM_WORLD_SIZE"},
    {"abi", "the standard ABI", {"libmpi_abi.so.1", nullptr}, nullptr},
};

// The family whose launcher started this process; null: none, or one within another's job.
inline const Family* launcher_family() {
  const Family* found = nullptr;
  for (const Family& each : families) {
    if (each.launched == nullptr || std::getenv(each.launched) == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

// The loaded library of a family: its soname; null if this process has none.
inline const char* loaded_member(const Family& family) {
  for (const char* each : family.sonames) {
    if (each != nullptr && dlopen(each, RTLD_LAZY | RTLD_NOLOAD) != nullptr) return each;
  }
  return nullptr;
}

}  // namespace tutti
