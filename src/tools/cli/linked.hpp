// What a program is, and which MPI library it is linked to: found without running it.
#pragma once

#include <string>
#include <vector>

#include "families/families.hpp"

namespace tutti::tools {

enum class Linkage {
  script,       // starts with #!
  static_file,  // no dynamic loader: nothing can be preloaded
  no_mpi,       // neither the program nor its libraries need an MPI library
  mpi,
};

struct Program {
  Linkage linkage = Linkage::no_mpi;
  std::string interpreter;  // of a script: the program behind #!, with `env` looked through
  std::string loader;       // of one that is linked dynamically
  std::string library;      // mpi: its soname, such as libmpich.so.12
  std::string library_path;
  const Family* family = nullptr;  // mpi: of the library; null for one unknown here
};

// The executable file `name` stands for: itself if it has a slash, otherwise found on PATH. Throws
// std::invalid_argument if there is none.
std::string find_program(const std::string& name);

// What the command writes to standard output; nothing on standard error. `preload` is loaded first.
std::string output_of(std::vector<std::string> command, const std::string& preload = {});

// Asks the program's own dynamic loader, as ldd does, so that libraries of libraries, run paths and
// LD_LIBRARY_PATH count. Throws std::invalid_argument if the file is no program.
Program inspect(const std::string& path);

}  // namespace tutti::tools
