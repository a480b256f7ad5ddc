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
// Builds with MPI only. `program` is what followed `--` on the command line.
Command exec_command(CLI::App& tutti, const std::vector<std::string>& program);
Command bench_command(CLI::App& tutti);
Command machine_command(CLI::App& tutti);
Command tune_command(CLI::App& tutti);

}  // namespace tutti::tools
