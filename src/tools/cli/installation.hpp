// What lies beside this program, in a build tree or an installation.
#pragma once

#include <filesystem>
#include <string>

#include "families/families.hpp"

namespace tutti::tools {

// The library to preload. Throws std::invalid_argument if it is missing, or cannot be preloaded
// from where it is.
std::filesystem::path library();
// What it loads into programs of the family, and what has the commands that measure; there or not.
std::filesystem::path engine(const Family& family);
std::filesystem::path measurer(const Family& family);
// The families that are served here, for people.
std::string served();

}  // namespace tutti::tools
