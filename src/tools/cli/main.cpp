// tutti: one command line over everything that reads schedules.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"

namespace tutti::tools {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  tutti algorithms allreduce\n"
    "  tutti explain allreduce --ranks 33 --bytes 1M\n"
    "  tutti draw allgather --algorithm bruck --ranks 6 -o bruck.svg\n"
    "  tutti map allreduce --ranks 2:256 -o allreduce.svg\n"
    "  tutti verify --ranks 1:64 --mutants\n"
    "  tutti export --to intel examples/site-peers.json -o adjust.sh\n"
#ifdef TUTTI_MPI_NAME
    "  mpirun -n 4 tutti exec --report -- ./program\n"
    "  mpirun -n 4 tutti bench allreduce\n"
    "  mpirun -n 4 tutti machine -o machine.json\n"
    "  mpirun -n 4 tutti tune -o site.json\n"
#endif
    "`tutti COMMAND --help` tells more about each.";

std::vector<Command> add_commands(CLI::App& app, const std::vector<std::string>& program) {
  std::vector<Command> commands{algorithms_command(app), verify_command(app), explain_command(app),
                                simulate_command(app),   draw_command(app),   map_command(app),
                                plot_command(app),       advise_command(app), export_command(app)};
#ifdef TUTTI_MPI_NAME
  commands.push_back(exec_command(app, program));
#else
  (void)program;
#endif
#ifdef TUTTI_WITH_MPI
  commands.push_back(bench_command(app));
  commands.push_back(machine_command(app));
  commands.push_back(tune_command(app));
#endif
  return commands;
}

std::string names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const Command& each : commands) names.push_back(each.app->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* each : app.get_options()) {
    names.push_back(each->get_positional() ? each->get_name(true) : each->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

int complain(const std::string& where, std::string what, Status status) {
  std::ranges::replace(what, '\n', ' ');
  fmt::print(stderr, "{}: {}\n", where, what);
  return status;
}

// What CLI11 could not parse, in one line.
int explain_parse_error(const CLI::App& app, const std::vector<Command>& commands,
                        const CLI::ParseError& error, const std::string& first) {
  const auto asked = app.get_subcommands();
  if (asked.empty() && !first.empty() && first.front() != '-') {
    return complain("tutti",
                    fmt::format("'{}' is no command; known are: {}", first, names_of(commands)),
                    bad_input);
  }
  const CLI::App& at = asked.empty() ? app : *asked.front();
  return complain(asked.empty() ? "tutti" : "tutti " + at.get_name(),
                  fmt::format("{}; accepted: {}", error.what(), options_of(at)), bad_input);
}

int run(const std::vector<Command>& commands) {
  const auto asked =
      std::ranges::find_if(commands, [](const Command& each) { return each.app->parsed(); });
  if (asked == commands.end()) {
    return complain("tutti", "a command is needed; known are: " + names_of(commands), bad_input);
  }
  const std::string name = "tutti " + asked->app->get_name();
  try {
    const int status = asked->run();
    if (std::fflush(stdout) != 0) refuse("standard output cannot be written");
    return status;
  } catch (const std::invalid_argument& error) {
    return complain(name, error.what(), bad_input);
  } catch (const std::exception& error) {
    return complain(name, fmt::format("this is a fault of Tutti: {}", error.what()), broken);
  }
}

int main_of(const std::vector<std::string>& arguments) {
  // What follows `tutti exec --` belongs to the program.
  const bool runs_program = !arguments.empty() && arguments.front() == "exec";
  const auto dashes = runs_program ? std::ranges::find(arguments, "--") : arguments.end();
  const std::vector<std::string> program(dashes == arguments.end() ? dashes : dashes + 1,
                                         arguments.end());
  std::vector<std::string> own(arguments.begin(), dashes);
  const std::string first = own.empty() ? "" : own.front();
  std::ranges::reverse(own);  // as CLI11 wants them

  CLI::App app("Collective communication for MPI programs: proved, timed, chosen, drawn.", "tutti");
  app.set_version_flag("--version", "tutti " TUTTI_VERSION);
  app.footer(examples);
  const std::vector<Command> commands = add_commands(app, program);
  try {
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return explain_parse_error(app, commands, error, first);
  }
  return run(commands);
}

}  // namespace

}  // namespace tutti::tools

int main(int argc, char** argv) {
  try {
    return tutti::tools::main_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tutti: this is a fault of Tutti: %s\n", error.what());
    return tutti::tools::broken;
  }
}
