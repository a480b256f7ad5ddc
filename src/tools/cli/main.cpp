// tutti: one command line over everything that reads schedules, and what runs and measures
// programs.
#include <algorithm>
#include <iterator>

#include "tools/cli/command_line.hpp"

namespace tutti::tools {

static constexpr const char* examples =
    "Examples:\n"
    "  tutti algorithms allreduce\n"
    "  tutti explain allreduce --ranks 33 --bytes 1M\n"
    "  tutti draw allgather --algorithm bruck --ranks 6 -o bruck.svg\n"
    "  tutti map allreduce --ranks 2:256 -o allreduce.svg\n"
    "  tutti verify --ranks 1:64 --mutants\n"
    "  tutti export --to intel examples/site-peers.json -o adjust.sh\n"
    "  mpirun -n 4 tutti exec --report -- ./program\n"
    "  tutti doctor ./program\n"
    "  mpirun -n 4 tutti bench allreduce\n"
    "  mpirun -n 4 tutti machine -o machine.json\n"
    "  mpirun -n 4 tutti tune -o site.json\n"
    "`tutti COMMAND --help` tells more about each.";

static std::vector<Command> add_commands(CLI::App& app, const Arguments& program,
                                         const Arguments& all) {
  std::vector<Command> commands{
      algorithms_command(app),    verify_command(app), explain_command(app),
      simulate_command(app),      draw_command(app),   map_command(app),
      plot_command(app),          advise_command(app), export_command(app),
      exec_command(app, program), doctor_command(app), man_command(app),
      completion_command(app)};
  std::ranges::move(measuring_commands(app, all), std::back_inserter(commands));
  return commands;
}

}  // namespace tutti::tools

int main(int argc, char** argv) {
  return tutti::tools::run_command_line(argc, argv, tutti::tools::add_commands,
                                        tutti::tools::examples);
}
