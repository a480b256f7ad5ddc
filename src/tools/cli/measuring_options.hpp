// The command lines of the commands that need an MPI library. `tutti`, which has none, describes
// them and hands them over; what measures (src/tools/measure) parses them again.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tutti::tools {

struct BenchOptions {
  std::string collective, algorithms, root;
  std::string bytes;
  std::string repetitions = "51";
  bool non_commutative = false;
  bool json = false;
  bool csv = false;
};

struct MachineOptions {
  std::string output;
};

struct TuneOptions {
  std::string output, collectives, bytes, machine;
  std::string budget = "5m";
  bool peers = false;
};

// Each adds its subcommand to `tutti`; parsing it writes the options, which have to be there still.
// What is not known is left in App::remaining(), so that one rank complains.
CLI::App* add_options(CLI::App& tutti, BenchOptions& options);
CLI::App* add_options(CLI::App& tutti, MachineOptions& options);
CLI::App* add_options(CLI::App& tutti, TuneOptions& options);

}  // namespace tutti::tools
