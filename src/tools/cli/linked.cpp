#include "tools/cli/linked.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "model/refuse.hpp"

namespace tutti::tools {

namespace {

bool is_executable(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable(candidate)) return candidate;
  }
  return std::nullopt;
}

// The program in "#!/usr/bin/env -S python3 -u" or "#!/bin/sh".
std::string interpreter_in(const std::string& line) {
  std::istringstream words(line.substr(2));
  std::string word;
  words >> word;
  if (!word.ends_with("/env")) return word;
  while (words >> word) {
    if (!word.starts_with('-') && word.find('=') == std::string::npos) return word;
  }
  return "env";
}

template <class Header, class Segment>
std::string loader_in(std::ifstream& file) {
  Header header{};
  file.seekg(0);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  for (int i = 0; file && i < header.e_phnum; ++i) {
    Segment segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff) + i * header.e_phentsize);
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file || segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string path(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(path.data(), static_cast<std::streamsize>(path.size()));
    return path.substr(0, path.find('\0'));
  }
  return {};
}

// The MPI library among the lines of `ld.so --list`: "\tlibmpi.so.40 => /lib/... (0x...)".
void find_mpi(const std::string& list, Program& program) {
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::string name, arrow, path;
    std::istringstream(line) >> name >> arrow >> path;
    name = std::filesystem::path(name).filename();
    if (!name.starts_with("libmpi.so") && !name.starts_with("libmpich.so") &&
        !name.starts_with("libmpi_abi.so")) {
      continue;
    }
    program.linkage = Linkage::mpi;
    program.library = name;
    program.library_path = path;
    for (const Family& each : families) {
      if (each.has(name.c_str())) program.family = &each;
    }
    if (program.family != nullptr) return;
  }
}

}  // namespace

std::string output_of(std::vector<std::string> command, const std::string& preload) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments, environment;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  for (char** each = environ; *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with("LD_PRELOAD=")) environment.push_back(*each);
  }
  std::string first = "LD_PRELOAD=" + preload;
  if (!preload.empty()) environment.push_back(first.data());
  environment.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; !failed && (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (!failed) waitpid(child, nullptr, 0);
  return text;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (is_executable(name)) return name;
    refuse("'{}' is no program: {}; accepted is an executable file", name,
           access(name.c_str(), F_OK) == 0 ? "it is not executable" : "there is no such file");
  }
  if (const auto found = on_path(name)) return *found;
  refuse("there is no program '{}' on PATH; accepted are programs on PATH and paths such as ./{}",
         name, name);
}

Program inspect(const std::string& path) {
  Program program;
  std::ifstream file(path, std::ios::binary);
  std::string start(EI_NIDENT, '\0');
  file.read(start.data(), EI_NIDENT);
  if (start.starts_with("#!")) {
    file.clear();
    file.seekg(0);
    std::getline(file, start);
    program.linkage = Linkage::script;
    program.interpreter = interpreter_in(start);
    return program;
  }
  if (!start.starts_with(ELFMAG)) {
    refuse(
        "'{}' cannot be run; accepted are readable ELF programs and scripts that begin "
        "with #!",
        path);
  }
  const std::string loader = start[EI_CLASS] == ELFCLASS64
                                 ? loader_in<Elf64_Ehdr, Elf64_Phdr>(file)
                                 : loader_in<Elf32_Ehdr, Elf32_Phdr>(file);
  if (loader.empty()) {
    program.linkage = Linkage::static_file;
  } else {
    program.loader = loader;
    find_mpi(output_of({loader, "--list", path}), program);
  }
  return program;
}

}  // namespace tutti::tools
