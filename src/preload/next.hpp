// Where a program's call goes on that Tutti does not serve: to the MPI library, or, with
// TUTTI_CHAIN=1, to the next library behind libtutti.so that defines it, as tools that wrap MPI do.
#pragma once

#include <atomic>

namespace tutti::preload {

// The next definition of a name behind libtutti.so, or null.
using FindNext = void* (*)(const char* name);

}  // namespace tutti::preload

// Null unless libtutti.so sets it, when it has loaded the engine.
extern "C" __attribute__((visibility("default"))) tutti::preload::FindNext tutti_next;

// tutti::preload::next::NAME, called like PMPI_NAME, to which it goes unless tools are asked for.
// The first call replaces itself. PARAMETER is one of those in runtime/functions.hpp.
#define TUTTI_NEXT(Name, PARAMETER, arity, ...)                                              \
  namespace tutti::preload::next {                                                           \
  static int Name##_of_library(TUTTI_EACH(arity, PARAMETER, __VA_ARGS__)) {                  \
    return PMPI_##Name(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                      \
  }                                                                                          \
  static int Name##_first(TUTTI_EACH(arity, PARAMETER, __VA_ARGS__));                        \
  static constinit std::atomic Name{Name##_first};                                           \
  static int Name##_first(TUTTI_EACH(arity, PARAMETER, __VA_ARGS__)) {                       \
    void* const next = tutti_next != nullptr ? tutti_next("MPI_" #Name) : nullptr;           \
    const auto found =                                                                       \
        next != nullptr ? reinterpret_cast<decltype(Name.load())>(next) : Name##_of_library; \
    Name.store(found, std::memory_order_relaxed);                                            \
    return found(TUTTI_EACH(arity, TUTTI_ARGUMENT, __VA_ARGS__));                            \
  }                                                                                          \
  }
