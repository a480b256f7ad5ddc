// Files that people give Tutti.
#pragma once

#include <optional>
#include <string>

namespace tutti {

// All of a file; nothing if it cannot be read.
std::optional<std::string> contents(const std::string& path);

}  // namespace tutti
