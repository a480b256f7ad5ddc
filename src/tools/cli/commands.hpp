// The commands of `tutti`, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tutti::tools {

// Exit statuses. Bad input is thrown as std::invalid_argument: one line that says what was wrong
// and what is accepted.
enum Status : int { success = 0, check_failed = 1, bad_input = 2, broken = 3 };

using Arguments = std::vector<std::string>;

struct Command {
  CLI::App* app;
  std::function<int()> run;  // after parsing, if the user asked for it; returns a Status
};

// Each adds its subcommand to `tutti`.
Command algorithms_command(CLI::App& tutti);
Command verify_command(CLI::App& tutti);
Command explain_command(CLI::App& tutti);
Command simulate_command(CLI::App& tutti);
Command draw_command(CLI::App& tutti);
Command map_command(CLI::App& tutti);
Command plot_command(CLI::App& tutti);
Command advise_command(CLI::App& tutti);
Command export_command(CLI::App& tutti);
// `program` is what followed `--` on the command line.
Command exec_command(CLI::App& tutti, const Arguments& program);
// What is there to be served, by what, and what is wrong.
Command doctor_command(CLI::App& tutti);
// These describe all commands of `tutti`, which has to outlive them.
Command man_command(CLI::App& tutti);
Command completion_command(CLI::App& tutti);

// bench, machine and tune need an MPI library, of which `tutti` itself knows nothing. Each loads
// what has the command, for the library that this process was started by, and hands it the whole
// command line.
std::vector<Command> measuring_commands(CLI::App& tutti, const Arguments& command_line);
// As they are there.
Command bench_command(CLI::App& tutti);
Command machine_command(CLI::App& tutti);
Command tune_command(CLI::App& tutti);

}  // namespace tutti::tools
