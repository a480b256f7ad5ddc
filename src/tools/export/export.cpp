// tutti export: has the MPI library itself use the best of its own algorithms.
#include "tools/export/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "model/files.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/sizes.hpp"
#include "tools/cli/table.hpp"

namespace tutti::tools {

namespace {

struct Options {
  std::string to, profile, output;
};

const std::array<const Target*, 3> targets{&openmpi_target, &mpich_target, &intel_target};

const Target& parse_target(const std::string& name) {
  const auto found = std::ranges::find(targets, name, &Target::name);
  if (found != targets.end()) return **found;
  std::vector<std::string_view> names;
  for (const Target* each : targets) names.push_back(each->name);
  throw std::invalid_argument(
      fmt::format("'{}' is no library that rules can be written for; accepted: {}", name,
                  fmt::join(names, ", ")));
}

// Which library's algorithms the profile has.
PeerLibrary library_of(const Profile& profile, const std::string& path, const Target& target) {
  const auto library = peer_library(profile.library);
  if (!library || !profile.library.starts_with(target.library)) {
    throw std::invalid_argument(fmt::format(
        "profile '{}' was measured with '{}'; accepted for {}: {}", path, profile.library,
        target.name, target.library.empty() ? "Open MPI, MPICH" : target.library));
  }
  return *library;
}

void print(const std::vector<Rule>& rules) {
  Table table({{"collective"}, {"ranks", true}, {"from bytes", true}, {"algorithm"}});
  for (const Rule& rule : rules) {
    for (const auto& [first, one] : rule.ranges) {
      const bool own = one.peer == nullptr;
      table.add({std::string(to_string(rule.collective)), fmt::format("{}", rule.p),
                 fmt::format("{}", first),
                 own ? "its own choice" : full_name(one).substr(Profile::peer_prefix.size())},
                own ? Colour::faint : Colour::plain);
    }
  }
  fmt::print("{}\n", table.text());
}

int run(const Options& options) {
  const Target& target = parse_target(options.to);
  const Profile profile = read_profile(options.profile);
  const std::vector<Rule> rules =
      rules_of(profile, library_of(profile, options.profile, target), target);
  if (rules.empty()) {
    throw std::invalid_argument(fmt::format(
        "profile '{0}' has no times of the library's own algorithms; measure them: mpirun ... "
        "tutti tune --peers -o {0}",
        options.profile));
  }
  std::vector<Rule> changes = rules;
  std::erase_if(changes, [](const Rule& each) { return !each.changes(); });
  for (const RulesFile& each : target.written(changes)) {
    write_file(options.output + each.ending, each.text);
  }
  print(rules);
  if (changes.empty()) fmt::print("What the library chooses by itself is as good everywhere.\n");
  const std::string path = std::filesystem::absolute(options.output);
  fmt::print("{} is written; use it: {}\n", options.output, target.use(path));
  return success;
}

}  // namespace

Command export_command(CLI::App& tutti) {
  auto options = std::make_shared<Options>();
  CLI::App* app = tutti.add_subcommand(
      "export", "Tell the MPI library itself which of its algorithms are fastest");
  app->add_option("FILE", options->profile, "What `tutti tune --peers -o FILE` wrote")->required();
  app->add_option("--to", options->to, "openmpi, mpich or intel")->required();
  app->add_option("-o,--output", options->output, "File of rules to write")->required();
  app->footer(
      "Rules by which the MPI library takes the fastest of its own algorithms, for programs that\n"
      "run without Tutti. They hold for communicators of the sizes that were measured, and say\n"
      "nothing where the library's own choice is as good. Intel MPI gets what was measured with\n"
      "another library, where it documents the same algorithm.\n"
      "Examples:\n"
      "  tutti export --to openmpi site.json -o rules.conf\n"
      "  tutti export --to mpich site.json -o rules.json\n"
      "  tutti export --to intel examples/site-peers.json -o adjust.sh");
  return {app, [options] { return run(*options); }};
}

}  // namespace tutti::tools
