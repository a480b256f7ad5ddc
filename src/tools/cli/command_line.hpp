// A command line: parsed, run, complained of.
#pragma once

#include "tools/cli/commands.hpp"

namespace tutti::tools {

// Adds subcommands to `tutti`. `program` is what followed `--` on the command line of `tutti exec`,
// `all` the whole line.
using AddCommands = std::vector<Command> (*)(CLI::App& tutti, const Arguments& program,
                                             const Arguments& all);

// Runs the command that is asked for. Returns a Status; never throws. `examples` ends the help.
int run_command_line(int argc, char** argv, AddCommands add, const char* examples);

}  // namespace tutti::tools
