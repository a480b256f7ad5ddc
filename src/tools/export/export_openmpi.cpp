// Rules of Open MPI's component coll/tuned. Numbers with spaces between them, comments from # on:
// the number of collectives; of each its number and how many communicator sizes follow; of each of
// those how many message sizes follow; then from a size on algorithm, fan-out, bytes of a segment.
// What counts is the last size that is not larger. Algorithm 0 is the library's own choice.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/export/export.hpp"

namespace tutti::tools {

namespace {

struct Entry {
  Collective collective;
  int number;        // enum COLLTYPE of Open MPI 4.1
  bool tells_sizes;  // all ranks find the same size, and it is that of the message
};

// The root of a gather may say nothing of what it sends, nor the others of a scatter: ranks would
// choose differently and wait for each other. In scan and exscan the size is that of one element.
constexpr std::array<Entry, 12> entries{{{Collective::allgather, 0, true},
                                         {Collective::allreduce, 2, true},
                                         {Collective::alltoall, 3, true},
                                         {Collective::barrier, 6, false},
                                         {Collective::bcast, 7, true},
                                         {Collective::exscan, 8, false},
                                         {Collective::gather, 9, false},
                                         {Collective::reduce, 11, true},
                                         {Collective::reduce_scatter, 12, true},
                                         {Collective::reduce_scatter_block, 13, true},
                                         {Collective::scan, 14, false},
                                         {Collective::scatter, 15, false}}};

// There are no others in peers.def.
const Entry& entry(Collective collective) {
  return *std::ranges::find(entries, collective, &Entry::collective);
}

// A rule serves all operators.
bool knows(const NamedPeer& one) {
  return one.peer->need != Need::commutes && one.peer->need != Need::commutes_units;
}

// The fan-out that coll/tuned forces algorithms with, as they were measured.
constexpr int fanout = 4;

constexpr std::string_view unchanged = "1\n0 0 0 0\n";

std::string text_of(const Rule& rule) {
  std::string text = fmt::format("{} {}\n", rule.p, rule.ranges.size());
  for (const auto& [first, one] : rule.ranges) {
    if (one.peer == nullptr) {
      text += fmt::format("{} 0 0 0\n", first);
    } else {
      text += fmt::format("{} {} {} {}  # {}\n", first, one.peer->number, fanout, one.segment,
                          one.peer->name);
    }
  }
  return text;
}

// A rule counts for all larger communicators too, and the first for the smaller: so there is one
// before and one after each.
std::string text_of(Collective collective, const std::vector<Rule>& rules) {
  int number = 1;
  std::string text = fmt::format("0 {}", unchanged);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    text += text_of(rules[i]);
    ++number;
    if (i + 1 < rules.size() && rules[i + 1].p == rules[i].p + 1) continue;
    text += fmt::format("{} {}", rules[i].p + 1, unchanged);
    ++number;
  }
  return fmt::format("{} {}  # {}\n{}", entry(collective).number, number, to_string(collective),
                     text);
}

std::vector<RulesFile> written(const RulesByCollective& rules) {
  std::string text =
      fmt::format("# Rules of coll/tuned, Open MPI 4.1, by tutti export.\n{}\n", rules.size());
  for (const auto& [collective, of_it] : rules) text += text_of(collective, of_it);
  return {{"", text}};
}

std::string use(const std::string& path) {
  return fmt::format(
      "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {} ...",
      path);
}

}  // namespace

const Target openmpi_target{
    .name = "openmpi",
    .library = "Open MPI v4.1",
    .leaves_alone = true,
    .tells_sizes = [](Collective collective) { return entry(collective).tells_sizes; },
    .knows = knows,
    .written = written,
    .use = use};

}  // namespace tutti::tools
