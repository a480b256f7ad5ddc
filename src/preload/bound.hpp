// Where a loaded library sees a variable: which of several definitions it is bound to.
#pragma once

#include <elf.h>

#include "families/loaded.hpp"

namespace tutti::preload {

// What a library's dynamic section holds under `tag`, as the loader made it an address.
inline const char* dynamic_table(const link_map& library, ElfW(Sxword) tag, std::size_t* value) {
  for (const ElfW(Dyn)* each = library.l_ld; each->d_tag != DT_NULL; ++each) {
    if (each->d_tag != tag) continue;
    if (value != nullptr) *value = each->d_un.d_val;
    return reinterpret_cast<const char*>(each->d_un.d_ptr);
  }
  return nullptr;
}

// The address of the variable as the library whose file name begins with `prefix` was bound to it;
// null if it is not loaded or does not refer to it.
inline void* bound_in(const char* prefix, const char* name) {
  void* const handle = loaded_library(prefix, 0);
  link_map* library = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &library) != 0) return nullptr;
  std::size_t bytes = 0;
  const char* const names = dynamic_table(*library, DT_STRTAB, nullptr);
  const auto* const symbols =
      reinterpret_cast<const ElfW(Sym)*>(dynamic_table(*library, DT_SYMTAB, nullptr));
  const auto* const slots =
      reinterpret_cast<const ElfW(Rela)*>(dynamic_table(*library, DT_RELA, nullptr));
  dynamic_table(*library, DT_RELASZ, &bytes);
  for (std::size_t i = 0; slots != nullptr && i < bytes / sizeof *slots; ++i) {
    const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(slots[i].r_info)];
    if (std::strcmp(names + symbol.st_name, name) != 0) continue;
    char* const address = *reinterpret_cast<char**>(library->l_addr + slots[i].r_offset);
    return address - slots[i].r_addend;
  }
  return nullptr;
}

}  // namespace tutti::preload
