// tutti doctor: which MPI libraries are here, what serves each, whether Tutti gets into a program,
// and what to do about what is wrong.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "model/machine_file.hpp"
#include "model/refuse.hpp"
#include "select/profile.hpp"
#include "select/select.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/installation.hpp"
#include "tools/cli/linked.hpp"
#include "tools/cli/table.hpp"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

class Findings {
 public:
  void note(const std::string& what, const std::string& found, const std::string& means) {
    table_.add(what, found, means);
  }
  void fault(const std::string& what, const std::string& found, const std::string& remedy) {
    ++faults_;
    table_.add(Colour::bad, what, found, remedy);
  }
  int print() const {
    fmt::print("{}\n{}\n", table_.text(),
               faults_ == 0 ? painted("Nothing is wrong.", Colour::good)
                            : painted(fmt::format("Wrong: {}.", faults_), Colour::bad));
    return faults_ == 0 ? success : check_failed;
  }

 private:
  Table table_{{"what", "found", "means"}};
  int faults_ = 0;
};

// Where the dynamic loader has a library; empty if nowhere. Asked in a process of its own:
// libraries of several families are not to meet in one.
std::string place_of(const char* soname) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    void* const library = dlopen(soname, RTLD_LAZY);
    link_map* where = nullptr;
    const bool is_there = library != nullptr && dlinfo(library, RTLD_DI_LINKMAP, &where) == 0;
    const std::string path = is_there ? where->l_name : "";
    _exit(write(ends[1], path.data(), path.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string path(4096, '\0');
  const ssize_t got = child > 0 ? read(ends[0], path.data(), path.size()) : 0;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  path.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return path;
}

void look_at_families(Findings& findings) {
  bool is_any_served = false;
  for (const Family& family : families) {
    const bool is_served = fs::exists(engine(family));
    is_any_served |= is_served;
    std::string place;
    for (const char* soname : family.sonames) {
      if (soname != nullptr && place.empty()) place = place_of(soname);
    }
    const std::string served_by = "served by " + engine(family).filename().string();
    if (place.empty()) {
      findings.note(family.members, "not on the loader's path", is_served ? served_by : "");
    } else {
      findings.note(family.members, place,
                    is_served ? served_by : "not served: no build for it is installed here");
    }
  }
  if (!is_any_served) findings.fault("engines", "none", "build Tutti with an MPI library");
}

// The family of a launcher; by what it says of itself.
const Family* family_of_launcher(const std::string& path) {
  const std::string said = output_of({path, "--version"});
  const auto says = [&](const char* word) { return said.find(word) != std::string::npos; };
  const bool is_openmpi = says("Open MPI"), is_mpich = says("HYDRA") || says("Intel(R) MPI");
  if (!is_openmpi && !is_mpich) return nullptr;
  for (const Family& each : families) {
    if (each.members == std::string(is_openmpi ? "Open MPI" : "MPICH")) return &each;
  }
  return nullptr;
}

// The family of the `mpirun` that a user gets.
const Family* look_at_launcher(Findings& findings) {
  try {
    const std::string path = find_program("mpirun");
    const Family* family = family_of_launcher(path);
    findings.note("mpirun", path,
                  family == nullptr ? "of a library unknown here"
                                    : fmt::format("of {}'s family", family->members));
    return family;
  } catch (const std::invalid_argument&) {
    findings.note("mpirun", "none on PATH", "");
    return nullptr;
  }
}

// A setting that would end programs.
template <class Read>
void look_at_setting(Findings& findings, const char* name, Read read) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return;
  try {
    read(value);
    findings.note(name, value, "is understood");
  } catch (const std::invalid_argument& error) {
    findings.fault(name, value, error.what());
  }
}

void look_at_settings(Findings& findings) {
  look_at_setting(findings, "TUTTI_FORCE", [](const char* text) { parse_forced(text); });
  look_at_setting(findings, "TUTTI_MACHINE", [](const char* path) { read_machine(path); });
  look_at_setting(findings, "TUTTI_PROFILE", [](const char* path) { read_profile(path); });
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string before = preloaded == nullptr ? "" : preloaded;
  if (before.find("libtutti") != std::string::npos && before.find(library()) == std::string::npos) {
    findings.fault("LD_PRELOAD", before, "another Tutti is preloaded: unset it");
  }
}

// What keeps the loader from preloading into it; empty: nothing.
std::string obstacle(const std::string& path, const Program& program) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0 && (found.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return "runs with another user's rights: the loader preloads nothing";
  }
  const std::string list = output_of({program.loader, "--list", path}, library());
  if (list.find(library()) == std::string::npos)
    return "the loader does not preload " + library().string();
  return {};
}

void look_at_mpi_program(Findings& findings, const std::string& path, const Program& program,
                         const Family* launcher) {
  if (program.family == nullptr) {
    return findings.fault(path, program.library, "an MPI library that Tutti does not know");
  }
  const Family& family = *program.family;
  const std::string linked = fmt::format("{} => {}", program.library, program.library_path);
  if (!fs::exists(engine(family))) {
    findings.fault(path, linked, fmt::format("no engine for {} is installed", family.members));
  } else if (const std::string why = obstacle(path, program); !why.empty()) {
    findings.fault(path, linked, why);
  } else {
    findings.note(path, linked, fmt::format("is served: mpirun ... tutti exec -- {}", path));
  }
  if (launcher != nullptr && family.launched != nullptr && launcher != &family) {
    findings.fault("mpirun", fmt::format("of {}", launcher->members),
                   fmt::format("the program is of {}: start it with that mpirun", family.members));
  }
}

void look_at_program(Findings& findings, const std::string& name, const Family* launcher) {
  const std::string path = find_program(name);
  const Program program = inspect(path);
  switch (program.linkage) {
    case Linkage::script:
      return findings.note(path, "a script for " + program.interpreter,
                           "is served if what it runs loads MPI");
    case Linkage::static_file:
      return findings.fault(path, "statically linked",
                            "nothing can be preloaded: link it to MPI "
                            "dynamically, or link libtutti into it");
    case Linkage::no_mpi:
      return findings.note(path, "not linked to MPI",
                           "if it loads MPI while it runs: tutti exec --unchecked -- " + path);
    case Linkage::mpi:
      return look_at_mpi_program(findings, path, program, launcher);
  }
}

int doctor(const std::string& program) {
  Findings findings;
  findings.note("libtutti.so", library().string(), "is preloaded by tutti exec");
  look_at_families(findings);
  const Family* const launcher = look_at_launcher(findings);
  look_at_settings(findings);
  if (!program.empty()) look_at_program(findings, program, launcher);
  return findings.print();
}

}  // namespace

Command doctor_command(CLI::App& tutti) {
  auto program = std::make_shared<std::string>();
  CLI::App* app = tutti.add_subcommand("doctor", "Say what is served here, and what is wrong");
  app->add_option("PROGRAM", *program, "A program that Tutti is to serve");
  app->footer(
      "Exit status 1 if something is wrong.\n"
      "Examples:\n"
      "  tutti doctor\n"
      "  tutti doctor ./program");
  return {app, [program] { return doctor(*program); }};
}

}  // namespace tutti::tools
