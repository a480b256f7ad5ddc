// Families of MPI libraries. Those of one have the same handles, constants and functions, so that
// an engine built with one of them serves programs of all. Needs nothing but libc.
#pragma once

#include <dlfcn.h>

#include <cstring>

namespace tutti::preload {

struct Family {
  const char* name;        // its engine is libtutti-engine-NAME.so
  const char* members;     // for people
  const char* sonames[2];  // as the dynamic loader knows its libraries; null: none

  bool has(const char* soname) const {
    for (const char* each : sonames) {
      if (each != nullptr && std::strcmp(each, soname) == 0) return true;
    }
    return false;
  }
};

// libmpi.so.12 is what MPICH, Intel MPI, MVAPICH and Cray MPICH agreed on; Debian's MPICH has a
// name of its own. libmpi.so.40 is Open MPI 4 and 5.
inline constexpr Family families[]{
    {"mpich", "MPICH", {"libmpich.so.12", "libmpi.so.12"}},
    {"openmpi", "Open MPI", {"libmpi.so.40", nullptr}},
};

// The loaded library of a family: its soname; null if this process has none.
inline const char* loaded_member(const Family& family) {
  for (const char* each : family.sonames) {
    if (each != nullptr && dlopen(each, RTLD_LAZY | RTLD_NOLOAD) != nullptr) return each;
  }
  return nullptr;
}

}  // namespace tutti::preload
