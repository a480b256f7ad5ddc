// tutti exec: runs an unmodified MPI program on Tutti.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "families/loaded.hpp"
#include "model/machine_file.hpp"
#include "model/refuse.hpp"
#include "select/select.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/installation.hpp"
#include "tools/cli/linked.hpp"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string force, machine, profile, trace;
  bool report = false;
  bool unchecked = false;
};

constexpr std::array<std::string_view, 7> launchers{
    "mpirun", "mpiexec", "mpiexec.hydra", "mpiexec.openmpi", "mpirun.openmpi", "orterun", "srun"};
// Programs that load MPI later, if what they run asks for it.
constexpr std::array<std::string_view, 14> interpreters{"python", "sh",     "bash", "dash", "zsh",
                                                        "perl",   "ruby",   "R",    "lua",  "java",
                                                        "node",   "octave", "env",  "julia"};

std::string file_name(const std::string& path) { return fs::path(path).filename(); }

// "python3.11" counts as python.
bool is_interpreter(const std::string& path) {
  std::string name = file_name(fs::exists(path) ? fs::canonical(path).string() : path);
  name.erase(std::ranges::find_if(name, [](char c) { return c >= '0' && c <= '9'; }), name.end());
  return std::ranges::find(interpreters, name) != interpreters.end();
}

// A script or an interpreter: nobody can tell yet which MPI library it will load. One rank is
// enough to say so.
void warn_of_later(const std::string& what) {
  if (!is_first_rank()) return;
  const std::string line = fmt::format(
      "tutti exec: warning: {}; Tutti acts if what it runs uses {} and has no effect otherwise\n",
      what, served());
  std::fputs(line.c_str(), stderr);
}

void check_mpi(const Program& program, const std::string& name) {
  if (program.family == nullptr) {
    refuse(
        "'{}' is linked to {}, which Tutti does not know; accepted are programs linked to MPICH "
        "(libmpich.so.12, libmpi.so.12), Open MPI (libmpi.so.40) or the standard ABI "
        "(libmpi_abi.so.1)",
        name, program.library);
  }
  if (!fs::exists(engine(*program.family))) {
    refuse("'{}' is linked to {} ({}), but this tutti is for {}; {} is missing", name,
           program.family->members, program.library, served(), engine(*program.family).string());
  }
  const Family* launcher = launcher_family();
  if (launcher == nullptr || launcher == program.family || program.family->launched == nullptr) {
    return;
  }
  refuse(
      "'{}' is linked to {} ({}), but was started by the launcher of {}: its ranks would not find "
      "each other; start it with the mpirun of {}",
      name, program.family->members, program.library, launcher->members, program.family->members);
}

void check(const std::string& path, const std::string& name) {
  if (std::ranges::find(launchers, file_name(path)) != launchers.end()) {
    refuse("'{0}' starts ranks and is none; put it first: {0} ... tutti exec -- PROGRAM", name);
  }
  const Program program = inspect(path);
  switch (program.linkage) {
    case Linkage::script:
      return warn_of_later(fmt::format("'{}' is a script for {}", name, program.interpreter));
    case Linkage::static_file:
      refuse(
          "'{}' is statically linked: nothing can be preloaded; accepted are dynamically linked "
          "programs (or link libtutti into it)",
          name);
    case Linkage::no_mpi:
      if (is_interpreter(path)) {
        return warn_of_later(fmt::format("'{}' is an interpreter", name));
      }
      refuse(
          "'{}' is not an MPI program: neither it nor its libraries are linked to MPICH or Open "
          "MPI; if it loads one while it runs, use --unchecked",
          name);
    case Linkage::mpi:
      return check_mpi(program, name);
  }
}

void set(const char* variable, const std::string& value) {
  if (setenv(variable, value.c_str(), 1) != 0) {
    refuse("{} cannot be set: {}", variable, strerror(errno));
  }
}

// Puts `value` before what the variable holds, if anything.
void prepend(const char* variable, char separator, const std::string& value) {
  const char* inherited = std::getenv(variable);
  const bool is_empty = inherited == nullptr || *inherited == '\0';
  set(variable, is_empty ? value : value + separator + inherited);
}

void prepare_environment(const Options& options) {
  const char* inherited = std::getenv("TUTTI_FORCE");
  if (inherited != nullptr) parse_forced(inherited);
  parse_forced(options.force);
  if (!options.force.empty()) set("TUTTI_FORCE", options.force);
  if (!options.machine.empty()) {
    read_machine(options.machine);
    set("TUTTI_MACHINE", options.machine);
  }
  if (!options.profile.empty()) {
    read_profile(options.profile);
    set("TUTTI_PROFILE", options.profile);
  }
  if (options.report) set("TUTTI_REPORT", "1");
  if (!options.trace.empty()) set("TUTTI_TRACE", options.trace);
  prepend("LD_PRELOAD", ':', library());
  // AddressSanitizer wants to be loaded first. It would do no good to others this program starts;
  // libtutti.so takes none of libc's functions, so it may stand before it.
  prepend("ASAN_OPTIONS", ':', "verify_asan_link_order=0");
}

int exec(const Options& options, const Arguments& program) {
  if (program.empty()) refuse("a program is needed: tutti exec [options] -- PROGRAM ARGUMENTS");
  const std::string path = find_program(program.front());
  if (!options.unchecked) check(path, program.front());
  prepare_environment(options);
  std::vector<char*> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string& each : program) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv(path.c_str(), arguments.data());
  refuse("'{}' cannot be run: {}; accepted are programs for this machine", path,
         std::strerror(errno));
}

}  // namespace

Command exec_command(CLI::App& tutti, const Arguments& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      tutti.add_subcommand("exec", "Run an unmodified MPI program on Tutti: -- PROGRAM ARGUMENTS");
  app->add_flag("--report", options->report, "Print at exit what was called and what served it");
  app->add_option("--force", options->force, "COLLECTIVE=ALGORITHM,... to use where possible");
  app->add_option("--machine", options->machine, "JSON file that `tutti machine` wrote");
  app->add_option("--profile", options->profile, "JSON file that `tutti tune` wrote");
  app->add_option("--trace", options->trace, "JSON file to write what was called to, for `advise`");
  app->add_flag("--unchecked", options->unchecked, "Do not look which MPI library it is linked to");
  app->footer(
      "Preloads libtutti.so into the program, which must be linked dynamically to an MPI library\n"
      "that this tutti is for, itself or through its libraries. Scripts and interpreters load\n"
      "MPI later: they are run, with a warning. --force, --machine, --profile, --report and\n"
      "--trace set TUTTI_FORCE, TUTTI_MACHINE, TUTTI_PROFILE, TUTTI_REPORT and TUTTI_TRACE.\n"
      "Examples:\n"
      "  mpirun -n 4 tutti exec -- ./program --its-own-options\n"
      "  mpirun -n 4 tutti exec --report --force allreduce=circulant -- lmp -in in.melt\n"
      "  mpirun -n 4 tutti exec -- python3 solver.py");
  return {app, [options, program] { return exec(*options, program); }};
}

}  // namespace tutti::tools
