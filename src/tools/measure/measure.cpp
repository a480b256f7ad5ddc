// The commands that measure, by an MPI library: libtutti-measure-FAMILY.so, which `tutti` loads
// when the library is there, and a program of its own for simulated clusters.
#include "tools/cli/command_line.hpp"

namespace tutti::tools {

static std::vector<Command> add_commands(CLI::App& app, const Arguments&, const Arguments&) {
  return {bench_command(app), machine_command(app), tune_command(app)};
}

}  // namespace tutti::tools

extern "C" [[gnu::visibility("default")]] int tutti_measure(int argc, char** argv) {
  return tutti::tools::run_command_line(argc, argv, tutti::tools::add_commands, "");
}

#ifdef TUTTI_SMPI
int main(int argc, char** argv) { return tutti_measure(argc, argv); }
#endif
