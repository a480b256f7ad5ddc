// Libraries that are loaded in this process. Needs nothing but libc.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

namespace tutti {

// A library whose file name begins with `prefix`, the `index`-th of those loaded; null after the
// last. RTLD_LOCAL does not hide it.
inline void* loaded_library(const char* prefix, int index) {
  struct Search {
    const char* prefix;
    int left;
    char* path;
  } search{prefix, index, nullptr};
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto* const search = static_cast<Search*>(data);
    const char* const slash = std::strrchr(info->dlpi_name, '/');
    const char* const name = slash != nullptr ? slash + 1 : info->dlpi_name;
    if (std::strncmp(name, search->prefix, std::strlen(search->prefix)) != 0) return 0;
    if (search->left-- > 0) return 0;
    search->path = strdup(info->dlpi_name);
    return 1;
  };
  // Opened when the loader's lock is free again.
  dl_iterate_phdr(look, &search);
  void* const library =
      search.path != nullptr ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  std::free(search.path);
  return library;
}

// The launcher's number of this process is 0, or there is none.
inline bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* const rank = std::getenv(variable);
    if (rank != nullptr && std::strcmp(rank, "0") != 0) return false;
  }
  return true;
}

}  // namespace tutti
