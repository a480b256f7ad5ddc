// Reads source files, and finds in them what belongs on another floor.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tutti {

std::string read_text(const std::filesystem::path& path);
std::string without_comments(const std::string& source);
std::vector<std::filesystem::path> sources_under(const std::filesystem::path& folder);

// The first thing in the code that an algorithm must leave to the floors below or above: wrapping
// ranks, MPI, in-place calls. Empty if there is none.
std::string out_of_room(const std::string& source);
// The first MPI header or name in the code; empty if there is none.
std::string mpi_in(const std::string& source);

}  // namespace tutti
