#include "tools/cli/installation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "model/refuse.hpp"

namespace tutti::tools {

namespace fs = std::filesystem;

fs::path library() {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::vector<std::string> tried;
  for (const char* folder : {"lib", TUTTI_LIBDIR, "lib/tutti"}) {  // the last in Debian's package
    fs::path path = prefix / folder / "libtutti.so";
    if (!fs::exists(path)) {
      if (tried.empty() || tried.back() != path) tried.push_back(path);
      continue;
    }
    if (path.string().find_first_of(": ") == std::string::npos) return path;
    refuse("'{}' cannot be preloaded; accepted is a path without spaces and colons", path.string());
  }
  refuse("the library to preload is missing; it is expected as {}", fmt::join(tried, " or "));
}

fs::path engine(const Family& family) {
  return library().parent_path() / fmt::format("libtutti-engine-{}.so", family.name);
}

fs::path measurer(const Family& family) {
  return library().parent_path() / fmt::format("libtutti-measure-{}.so", family.name);
}

std::string served() {
  std::vector<std::string> names;
  for (const Family& each : families) {
    if (fs::exists(engine(each))) names.emplace_back(each.members);
  }
  return names.empty() ? "no library" : fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace tutti::tools
