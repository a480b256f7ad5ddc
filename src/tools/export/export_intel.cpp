// I_MPI_ADJUST_*="number:bytes-bytes;...", as Intel MPI 2021.19 understands it, by what ranks were
// seen to send (tests/mpi/intel_export_test.py).
//
// It takes the last rule whatever the size where numbers of ranks are given, as its reference
// allows; where there is only one rule that one; and sizes that no rule has go by the nearest. 0 is
// not what it chooses when it is told nothing. So rules say something of every size, and nothing of
// p.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>

#include "tools/export/export.hpp"

namespace tutti::tools {

namespace {

// Rules of the others go by sizes that were not looked for.
bool tells_sizes(Collective collective) {
  switch (collective) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::allgather:
    case Collective::scatter:
    case Collective::alltoall:
      return true;
    default:
      return false;
  }
}

// What is cut into segments is another algorithm.
bool knows(const NamedPeer& one) { return one.peer->intel != 0 && one.segment == 0; }

// "2:0-4095;1:4096-2147483647". Where each rank has a block, its size counts.
std::string conditions(const Rule& rule) {
  const CollectiveInfo& about = info(rule.collective);
  const std::int64_t share = about.owns_blocks && !about.reduces ? rule.p : 1;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < rule.ranges.size(); ++i) {
    const auto& [first, one] = rule.ranges[i];
    const bool ends = i + 1 < rule.ranges.size();
    const std::int64_t last = ends ? (rule.ranges[i + 1].first - 1) / share : INT32_MAX;
    all.push_back(fmt::format("{}:{}-{}", one.peer->intel, (first + share - 1) / share, last));
  }
  return fmt::format("{}", fmt::join(all, ";"));
}

// A file for each p, which holds for all communicators of a program.
std::vector<RulesFile> written(const RulesByCollective& rules) {
  std::map<int, std::string> texts;
  for (const auto& [collective, of_it] : rules) {
    std::string name(to_string(collective));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    for (const Rule& each : of_it) {
      texts[each.p] += fmt::format("export I_MPI_ADJUST_{}='{}'\n", name, conditions(each));
    }
  }
  std::vector<RulesFile> files;
  for (const auto& [p, text] : texts) {
    const std::string ending = texts.size() > 1 ? fmt::format(".{}", p) : "";
    files.push_back(
        {ending, fmt::format("# For programs of {} ranks, by tutti export; measured with "
                             "another MPI library.\n{}",
                             p, text)});
  }
  if (files.empty()) files.push_back({"", "# By tutti export: nothing to change.\n"});
  return files;
}

std::string use(const std::string& path) { return fmt::format(". {}; mpirun ...", path); }

}  // namespace

const Target intel_target{.name = "intel",
                          .library = "",
                          .leaves_alone = false,
                          .tells_sizes = tells_sizes,
                          .knows = knows,
                          .written = written,
                          .use = use};

}  // namespace tutti::tools
