// Files that people give Tutti, and writing such that nobody ever sees half of one.
#pragma once

#include <optional>
#include <string>

namespace tutti {

// All of a file; nothing if it cannot be read.
std::optional<std::string> contents(const std::string& path);

// Writes a temporary file beside `path` and renames it. Throws std::invalid_argument naming the
// path and what was wrong.
void write_file(const std::string& path, const std::string& contents);

}  // namespace tutti
