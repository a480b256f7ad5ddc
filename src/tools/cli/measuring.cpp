// tutti bench, machine and tune: finds the MPI library that they are to measure, and hands over.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <system_error>

#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/installation.hpp"
#include "tools/cli/measuring_options.hpp"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

int parent_of(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string stat;
  std::getline(file, stat);
  int parent = 0;
  const std::size_t name_ends = stat.rfind(") ");  // names may have anything in them
  if (name_ends != std::string::npos) std::sscanf(stat.c_str() + name_ends, ") %*c %d", &parent);
  return parent;
}

// Where the library of whoever started this process may lie: a launcher is installed with it.
std::vector<fs::path> folders_of_launcher() {
  std::vector<fs::path> folders;
  for (int process = getppid(); process > 1; process = parent_of(process)) {
    std::error_code unreadable;
    const fs::path program = fs::read_symlink(fmt::format("/proc/{}/exe", process), unreadable);
    if (unreadable) break;
    for (const char* folder : {"lib", "lib64", "lib/release"}) {
      folders.push_back(program.parent_path().parent_path() / folder);
    }
  }
  return folders;
}

// Makes the family's functions those of this process. False if no library of it is found.
bool load_mpi(const Family& family) {
  Arguments names;
  for (const fs::path& folder : folders_of_launcher()) {
    for (const char* soname : family.sonames) {
      if (soname != nullptr && fs::exists(folder / soname)) names.push_back(folder / soname);
    }
  }
  for (const char* soname : family.sonames) {
    if (soname != nullptr) names.emplace_back(soname);
  }
  return std::ranges::any_of(names, [](const std::string& name) {
    return dlopen(name.c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr;
  });
}

// For which there is what measures. All, if nobody can tell which started this process.
std::vector<const Family*> candidates() {
  if (const Family* launcher = launcher_family()) {
    if (fs::exists(measurer(*launcher))) return {launcher};
    refuse(
        "this process was started by the launcher of {}, but this tutti is for {}; {} is missing",
        launcher->members, served(), measurer(*launcher).string());
  }
  std::vector<const Family*> found;
  for (const Family& each : families) {
    if (fs::exists(measurer(each))) found.push_back(&each);
  }
  if (found.empty()) refuse("this tutti was built without an MPI library, and measures none");
  return found;
}

const Family& family_to_measure() {
  std::vector<std::string> tried;
  for (const Family* each : candidates()) {
    if (load_mpi(*each)) return *each;
    for (const char* soname : each->sonames) {
      if (soname != nullptr) tried.emplace_back(soname);
    }
  }
  refuse("no MPI library is found; add the folder of {} to LD_LIBRARY_PATH",
         fmt::join(tried, " or "));
}

int hand_over(const Arguments& command_line) {
  // First, so that collectives are Tutti's where they are not asked of the library itself.
  dlopen(library().c_str(), RTLD_LAZY | RTLD_GLOBAL);
  const std::string path = measurer(family_to_measure());
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  using Measure = int (*)(int, char**);
  const auto measure =
      library == nullptr ? nullptr : reinterpret_cast<Measure>(dlsym(library, "tutti_measure"));
  if (measure == nullptr) refuse("'{}' cannot be used: {}", path, dlerror());
  std::string name = "tutti";
  std::vector<char*> arguments{name.data()};
  for (const std::string& each : command_line) arguments.push_back(const_cast<char*>(each.c_str()));
  return measure(static_cast<int>(arguments.size()), arguments.data());
}

template <class Options>
Command measuring_command(CLI::App& tutti, const Arguments& all) {
  const auto options = std::make_shared<Options>();
  return {add_options(tutti, *options), [options, all] { return hand_over(all); }};
}

}  // namespace

std::vector<Command> measuring_commands(CLI::App& tutti, const Arguments& all) {
  return {measuring_command<BenchOptions>(tutti, all),
          measuring_command<MachineOptions>(tutti, all),
          measuring_command<TuneOptions>(tutti, all)};
}

}  // namespace tutti::tools
