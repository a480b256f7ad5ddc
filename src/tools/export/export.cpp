// tutti export: has the MPI library itself use the best of its own algorithms.
#include "tools/export/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "model/files.hpp"
#include "model/refuse.hpp"
#include "select/profile.hpp"
#include "tools/cli/commands.hpp"
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
  names.reserve(targets.size());
  for (const Target* each : targets) names.push_back(each->name);
  refuse("'{}' is no library that rules can be written for; accepted: {}", name,
         fmt::join(names, ", "));
}

// Which library's algorithms the profile has.
PeerLibrary library_of(const Profile& profile, const std::string& path, const Target& target) {
  const auto library = peer_library(profile.library);
  if (!library || !profile.library.starts_with(target.library)) {
    refuse("profile '{}' was measured with '{}'; accepted for {}: {}", path, profile.library,
           target.name, target.library.empty() ? "Open MPI, MPICH" : target.library);
  }
  return *library;
}

bool same(const NamedPeer& a, const NamedPeer& b) {
  return a.peer == b.peer && a.segment == b.segment;
}

// The fastest of the library's algorithms that a rule can name, if it takes less than `most`
// seconds.
NamedPeer fastest(const ProfilePoint& point, Collective collective, PeerLibrary library,
                  const Target& target, double most) {
  NamedPeer best;
  for (const auto& [name, seconds] : point.seconds) {
    const auto one = parse_peer_name(library, collective, name);
    if (!one || seconds >= most || !target.knows(*one)) continue;
    best = *one;
    most = seconds;
  }
  return best;
}

// None if what the library does by itself is as good. Where a rule has to say something of each
// size: none unless it is as good as all that were forced. What another library does by itself is
// not known.
NamedPeer choice(const ProfilePoint& point, Collective collective, PeerLibrary library,
                 const Target& target) {
  if (target.leaves_alone) {
    const double own = point.seconds.at("native");
    return fastest(point, collective, library, target, own * (1 - indifference));
  }
  double least = HUGE_VAL;
  for (const auto& [name, seconds] : point.seconds) {
    if (parse_peer_name(library, collective, name)) least = std::min(least, seconds);
  }
  return fastest(point, collective, library, target, least * (1 + indifference));
}

std::vector<Range> ranges_of(const std::vector<ProfilePoint>& points, Collective collective,
                             PeerLibrary library, const Target& target) {
  std::vector<Range> ranges;
  double before = 0;
  for (const ProfilePoint& point : points) {
    const NamedPeer best = choice(point, collective, library, target);
    const auto first = static_cast<std::int64_t>(std::ceil(std::sqrt(before * point.bytes)));
    if (ranges.empty() || !same(ranges.back().one, best)) ranges.push_back({first, best});
    before = point.bytes;
  }
  const bool has_gaps =
      std::ranges::any_of(ranges, [](const Range& each) { return each.one.peer == nullptr; });
  if (ranges.size() > 1 && !target.tells_sizes(collective)) return {Range{}};
  if (has_gaps && !target.leaves_alone) return {Range{}};
  return ranges;
}

// For each collective and p of the profile, at most one rule. Cut-offs are the geometric means of
// the sizes measured. Throws std::invalid_argument if two runs have the same p.
std::vector<Rule> rules_of(const Profile& profile, PeerLibrary library, const Target& target) {
  std::set<int> seen;
  std::vector<Rule> rules;
  for (const ProfileRun& run : profile.runs) {
    if (!seen.insert(run.p).second) {
      refuse("two runs have {} ranks, on more and on fewer nodes; rules cannot tell them apart",
             run.p);
    }
    for (const auto& [collective, all] : run.points) {
      std::vector<ProfilePoint> points;
      std::ranges::copy_if(all, std::back_inserter(points), has_peers);
      if (points.empty()) continue;
      rules.push_back({collective, run.p, ranges_of(points, collective, library, target)});
    }
  }
  std::ranges::stable_sort(rules, {},
                           [](const Rule& each) { return std::pair(each.collective, each.p); });
  return rules;
}

void print(const std::vector<Rule>& rules) {
  Table table({"collective", ">ranks", ">from bytes", "algorithm"});
  for (const Rule& rule : rules) {
    for (const auto& [first, one] : rule.ranges) {
      const bool own = one.peer == nullptr;
      table.add(own ? Colour::faint : Colour::plain, to_string(rule.collective), rule.p, first,
                own ? "its own choice" : full_name(one).substr(Profile::peer_prefix.size()));
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
    refuse(
        "profile '{0}' has no times of the library's own algorithms; measure them: mpirun ... "
        "tutti tune --peers -o {0}",
        options.profile);
  }
  RulesByCollective changes;
  for (const Rule& each : rules) {
    if (each.changes()) changes[each.collective].push_back(each);
  }
  const std::vector<RulesFile> files = target.written(changes);
  for (const RulesFile& each : files) write_file(options.output + each.ending, each.text);
  print(rules);
  if (changes.empty()) fmt::print("What the library chooses by itself is as good everywhere.\n");
  const std::string written = options.output + files.front().ending;
  fmt::print("{} is written; use it: {}\n", written,
             target.use(std::filesystem::absolute(written)));
  for (std::size_t i = 1; i < files.size(); ++i) {
    fmt::print("{}{} is written too\n", options.output, files[i].ending);
  }
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
      "another library, where it has the same algorithms; its rules hold for all communicators.\n"
      "Examples:\n"
      "  tutti export --to openmpi site.json -o rules.conf\n"
      "  tutti export --to mpich site.json -o rules.json\n"
      "  tutti export --to intel examples/site-peers.json -o adjust.sh");
  return {app, [options] { return run(*options); }};
}

}  // namespace tutti::tools
