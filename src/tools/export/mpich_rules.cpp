#include "tools/export/mpich_rules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <stdexcept>
#include <string_view>

#include "model/files.hpp"

namespace tutti::tools {

namespace {

constexpr const char* library_name = "libmpich.so.12";

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(fmt::format(
      "a file of rules replaces those that MPICH has built in, so they are taken over, but {}; "
      "export on a machine with MPICH 4.0",
      why));
}

// Where the dynamic linker finds the library.
std::string path_of_library() {
  void* library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  link_map* place = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &place) != 0) {
    refuse(fmt::format("there is no {}", library_name));
  }
  return place->l_name;
}

// The rules, a text in JSON, whose leaves begin like that.
std::string built_in(std::string_view leaf) {
  constexpr std::string_view begin = R"({"collective=)";
  const std::string path = path_of_library();
  const std::string library = contents(path).value_or("");
  for (std::size_t at = library.find(begin); at != library.npos; at = library.find(begin, at + 1)) {
    std::string text(library.c_str() + at);
    if (text.find(leaf) != text.npos) return text;
  }
  refuse(fmt::format("'{}' has none", path));
}

}  // namespace

std::string mpich_rules() { return built_in("\"algorithm=MPIR_"); }
std::string mpich_device_rules() { return built_in("\"composition=MPIDI_"); }

}  // namespace tutti::tools
