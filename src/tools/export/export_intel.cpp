// I_MPI_ADJUST_*="number:bytes-bytes@ranks-ranks;..." (Intel MPI Developer Reference 2021).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tools/export/export.hpp"

namespace tutti::tools {

namespace {

// Elsewhere the reference does not say whether a size is that of a block or of all.
bool tells_sizes(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce ||
         collective == Collective::allreduce;
}

// As documented; what is cut into segments is another algorithm.
bool knows(const NamedPeer& one) { return one.peer->intel != 0 && one.segment == 0; }

// "2:0-4095@4-4": what the library would choose by itself needs no condition.
void add_conditions(const Rule& rule, std::vector<std::string>& conditions) {
  for (std::size_t i = 0; i < rule.ranges.size(); ++i) {
    const auto& [first, one] = rule.ranges[i];
    if (one.peer == nullptr) continue;
    const bool ends = i + 1 < rule.ranges.size();
    const std::int64_t last = ends ? rule.ranges[i + 1].first - 1 : INT32_MAX;
    conditions.push_back(
        fmt::format("{}:{}-{}@{}-{}", one.peer->intel, first, last, rule.p, rule.p));
  }
}

std::vector<RulesFile> written(const RulesByCollective& rules) {
  std::string text = "# I_MPI_ADJUST, by tutti export; measured with another MPI library.\n";
  for (const auto& [collective, of_it] : rules) {
    std::vector<std::string> conditions;
    for (const Rule& each : of_it) add_conditions(each, conditions);
    std::string name(to_string(collective));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    text += fmt::format("export I_MPI_ADJUST_{}='{}'\n", name, fmt::join(conditions, ";"));
  }
  return {{"", text}};
}

std::string use(const std::string& path) { return fmt::format(". {}; mpirun ...", path); }

}  // namespace

const Target intel_target{.name = "intel",
                          .library = "",
                          .tells_sizes = tells_sizes,
                          .knows = knows,
                          .written = written,
                          .use = use};

}  // namespace tutti::tools
