// Writing files so that nobody ever sees half of one.
#pragma once

#include <string>

namespace tutti::tools {

// Writes a temporary file beside `path` and renames it. Throws std::invalid_argument naming the
// path and what was wrong.
void write_file(const std::string& path, const std::string& contents);

}  // namespace tutti::tools
