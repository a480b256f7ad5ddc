#include "tools/cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "model/refuse.hpp"
#include "tutti/version.hpp"

namespace tutti::tools {

namespace {

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

int run_parsed(const Arguments& arguments, AddCommands add, const char* examples) {
  // What follows `tutti exec --` belongs to the program.
  const bool runs_program = !arguments.empty() && arguments.front() == "exec";
  const auto dashes = runs_program ? std::ranges::find(arguments, "--") : arguments.end();
  const Arguments program(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  Arguments own(arguments.begin(), dashes);
  const std::string first = own.empty() ? "" : own.front();
  std::ranges::reverse(own);  // as CLI11 wants them

  CLI::App app("Collective communication for MPI programs: proved, timed, chosen, drawn.", "tutti");
  app.set_version_flag("--version", fmt::format("tutti {}.{}.{}", TUTTI_VERSION_MAJOR,
                                                TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH));
  app.footer(examples);
  const std::vector<Command> commands = add(app, program, arguments);
  try {
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return explain_parse_error(app, commands, error, first);
  }
  return run(commands);
}

}  // namespace

int run_command_line(int argc, char** argv, AddCommands add, const char* examples) {
  try {
    return run_parsed({argv + 1, argv + argc}, add, examples);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tutti: this is a fault of Tutti: %s\n", error.what());
    return broken;
  }
}

}  // namespace tutti::tools
