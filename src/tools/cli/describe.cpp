// tutti man and tutti completion: the command line, described for man and for shells by what it
// says of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "algorithms/registry.hpp"
#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"
#include "tutti/version.hpp"

namespace tutti::tools {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& tutti) {
  return tutti.get_subcommands([](const CLI::App*) { return true; });
}

// "--ranks P", "-o FILE", "COLLECTIVE".
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& each : option.get_snames()) names.push_back("-" + each);
  for (const std::string& each : option.get_lnames()) names.push_back("--" + each);
  if (names.empty()) names.push_back(option.get_name(true));
  return names;
}

bool takes_value(const CLI::Option& option) {
  return !option.get_positional() && option.get_type_size() != 0;
}

// As roff has it: a dash is a hyphen there, and a line that begins with a full stop a request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() || result.back() == '\n') {
      if (c == '.' || c == '\'') result += "\\&";
    }
    if (c == '-') {
      result += "\\-";
    } else if (c == '\\') {
      result += "\\e";
    } else {
      result += c;
    }
  }
  return result;
}

void print_command(const CLI::App& command) {
  fmt::print(".SS tutti {}\n{}.\n", roff(command.get_name()), roff(command.get_description()));
  for (const CLI::Option* each : command.get_options()) {
    fmt::print(".TP\n.B {}{}\n{}\n", roff(fmt::format("{}", fmt::join(names_of(*each), ", "))),
               takes_value(*each) ? " \\fIVALUE\\fR" : "", roff(each->get_description()));
  }
  if (command.get_footer().empty()) return;
  fmt::print(".PP\n.nf\n{}\n.fi\n", roff(command.get_footer()));
}

int man(const CLI::App& tutti) {
  fmt::print(
      ".TH TUTTI 1 \"\" \"tutti {}.{}.{}\" \"User Commands\"\n.SH NAME\n"
      "tutti \\- collective communication for MPI programs\n.SH SYNOPSIS\n"
      ".B tutti\n.I COMMAND\n[options]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH, roff(tutti.get_description()));
  for (const CLI::App* each : commands_of(tutti)) print_command(*each);
  fmt::print(
      ".SH EXIT STATUS\n0: done. 1: a check failed. 2: wrong usage; one line says what is wrong "
      "and "
      "what is\naccepted.\n.SH SEE ALSO\n.BR mpirun (1)\n");
  return success;
}

// What may follow the command.
std::string words_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* each : command.get_options()) {
    if (!each->get_positional()) {
      std::ranges::copy(names_of(*each), std::back_inserter(words));
    } else if (each->get_name(true).starts_with("COLLECTIVE")) {
      for (const CollectiveInfo& about : collectives) words.emplace_back(about.name);
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

int complete_bash(const CLI::App& tutti) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* each : commands_of(tutti)) {
    names.push_back(each->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", each->get_name(), words_of(*each));
  }
  fmt::print(
      "# Completion of `tutti` for bash: tutti completion bash\n"
      "_tutti() {{\n"
      "  local words=\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  if ((COMP_CWORD == 1)); then words=\"{}\"; fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\")\n"
      "}}\n"
      "complete -o default -F _tutti tutti\n",
      cases, fmt::join(names, " "));
  return success;
}

int complete_zsh(const CLI::App& tutti) {
  std::string names, cases;
  for (const CLI::App* each : commands_of(tutti)) {
    std::string what = each->get_description();
    std::erase(what, '\'');
    names += fmt::format("    '{}:{}'\n", each->get_name(), what);
    cases += fmt::format("    {}) compadd -- {} ;;\n", each->get_name(), words_of(*each));
  }
  fmt::print(
      "#compdef tutti\n"
      "# Completion of `tutti` for zsh: tutti completion zsh\n"
      "if ((CURRENT == 2)); then\n"
      "  local -a commands=(\n{}  )\n"
      "  _describe command commands\n"
      "else\n"
      "  case ${{words[2]}} in\n{}  esac\n"
      "  _files\n"
      "fi\n",
      names, cases);
  return success;
}

}  // namespace

Command man_command(CLI::App& tutti) {
  CLI::App* app = tutti.add_subcommand("man", "Print the manual page");
  app->footer("Examples:\n  tutti man | man -l -");
  return {app, [&tutti] { return man(tutti); }};
}

Command completion_command(CLI::App& tutti) {
  auto shell = std::make_shared<std::string>();
  CLI::App* app = tutti.add_subcommand("completion", "Print what completes commands in a shell");
  app->add_option("SHELL", *shell, "bash or zsh")->required();
  app->footer("Examples:\n  eval \"$(tutti completion bash)\"");
  return {app, [&tutti, shell] {
            if (*shell == "bash") return complete_bash(tutti);
            if (*shell == "zsh") return complete_zsh(tutti);
            refuse("'{}' is no shell known here; accepted are bash and zsh", *shell);
          }};
}

}  // namespace tutti::tools
