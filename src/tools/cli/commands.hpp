// The commands of `tutti`, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
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
// `program` is what followed `--` on the command line.
Command exec_command(CLI::App& tutti, const std::vector<std::string>& program);
// What is there to be served, by what, and what is wrong.
Command doctor_command(CLI::App& tutti);
// These describe all commands of `tutti`, which has to outlive them.
Command man_command(CLI::App& tutti);
Command completion_command(CLI::App& tutti);

// Commands that need an MPI library, of which `tutti` itself knows no more.
struct Measuring {
  const char* name;
  const char* what;
};
inline constexpr Measuring bench_measures{"bench",
                                          "Time a collective's algorithms on this machine"};
inline constexpr Measuring machine_measures{"machine",
                                            "Measure what messages cost on this machine"};
inline constexpr Measuring tune_measures{"tune", "Measure which algorithms are fastest here"};
inline constexpr std::array measuring{bench_measures, machine_measures, tune_measures};
// Loads what has the command, for the library that this process was started by, and hands it the
// whole command line.
Command measuring_command(CLI::App& tutti, const Measuring& command,
                          const std::vector<std::string>& command_line);
// As they are there.
Command bench_command(CLI::App& tutti);
Command machine_command(CLI::App& tutti);
Command tune_command(CLI::App& tutti);

}  // namespace tutti::tools
