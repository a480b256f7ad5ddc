#include "preload/find.hpp"

#include <limits.h>
#include <pthread.h>

#include <atomic>
#include <cctype>
#include <cstdio>

#include "families/families.hpp"
#include "families/loaded.hpp"

namespace tutti::preload {

namespace {

void* engine = nullptr;  // the loader's handle; null: the program's own library serves
pthread_once_t asked = PTHREAD_ONCE_INIT;
std::atomic<bool> saw_calls{false};

// The family's engine: beside libtutti.so, with links followed, as that was when the program
// started, whatever its working directory is now. Static, as the thread's stack may be small.
const char* engine_file(const Family& family) {
  constexpr char start[] = "/libtutti-engine-";
  static char name[PATH_MAX];
  static char path[PATH_MAX + sizeof start + 16];
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&engine_file), &self);
  void* const handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlinfo(handle, RTLD_DI_ORIGIN, name);
  const char* const slash = std::strrchr(self.dli_fname, '/');
  std::strncat(name, slash != nullptr ? slash : "/libtutti.so", PATH_MAX - std::strlen(name) - 1);
  if (realpath(name, path) == nullptr) std::strcpy(path, name);
  *std::strrchr(path, '/') = '\0';
  return std::strcat(std::strcat(std::strcat(path, start), family.name), ".so");
}

// An MPI library that was loaded with RTLD_LOCAL, as Python and R do, is in no global scope.
void* in_loaded_library(const char* name) {
  void* library = nullptr;
  for (int i = 0; (library = loaded_library("libmpi", i)) != nullptr; ++i) {
    if (void* const found = dlsym(library, name)) return found;
  }
  return nullptr;
}

// Behind libtutti.so.
void* next_definition(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? found : in_loaded_library(name);
}

bool is_on(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

void load_engine() {
  saw_calls = true;
  for (const Family& family : families) {
    const char* const library = loaded_member(family);
    if (library == nullptr) continue;
    // The engine names no MPI library, and finds the functions of the program's in the global
    // scope.
    dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    // Lazy: older members of a family lack functions.
    engine = dlopen(engine_file(family), RTLD_LAZY | RTLD_LOCAL);
    if (engine != nullptr) {
      void* const next = is_on("TUTTI_CHAIN") ? dlsym(engine, "tutti_next") : nullptr;
      if (next != nullptr) *static_cast<void* (**)(const char*)>(next) = next_definition;
      return;
    }
    if (!is_first_rank()) continue;
    std::fprintf(stderr, "tutti: no effect on this program of %s (%s): %s\n", family.members,
                 library, dlerror());
  }
}

// MPI_Bcast_c of a family whose engine has none: tutti_bcast takes the same arguments.
void* by_large_counts(const char* name) {
  const std::size_t length = std::strlen(name);
  char own[64] = "tutti_";
  const std::size_t start = std::strlen(own);
  if (engine == nullptr || std::strncmp(name, "MPI_", 4) != 0 || length < 6 ||
      std::strcmp(name + length - 2, "_c") != 0 || length > sizeof own) {
    return nullptr;
  }
  for (std::size_t i = 4; i < length - 2; ++i) {
    own[start + i - 4] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return dlsym(engine, own);
}

// Who finds MPI's functions by the library's handle passes libtutti.so by: said where a report is
// wanted.
[[gnu::destructor]] void tell_if_no_call_came() {
  if (!is_on("TUTTI_REPORT") || saw_calls || !is_first_rank()) return;
  const char* soname = nullptr;
  for (const Family& family : families) {
    if (soname == nullptr) soname = loaded_member(family);
  }
  if (soname == nullptr) return;
  void* const library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
  int flag = 0;
  const auto initialized = reinterpret_cast<int (*)(int*)>(dlsym(library, "PMPI_Initialized"));
  if (initialized == nullptr || initialized(&flag) != 0 || flag == 0) return;
  std::fputs(
      "Tutti: no collective call was seen. The program made none, or finds MPI's functions by the\n"
      "library's handle (dlsym, as Julia and ctypes do), where nothing preloaded can serve it.\n",
      stderr);
}

}  // namespace

void* find(const char* name) {
  pthread_once(&asked, load_engine);
  void* found = engine != nullptr ? dlsym(engine, name) : nullptr;
  if (found == nullptr) found = by_large_counts(name);
  if (found == nullptr) found = next_definition(name);
  if (found != nullptr) return found;
  std::fprintf(stderr, "tutti: no library of this program has %s\n", name);
  std::abort();
}

}  // namespace tutti::preload
