#include "tools/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "tools/numbers.hpp"
#include "tools/sizes.hpp"

namespace tutti::tools {

namespace {

std::string names_of_collectives(bool CollectiveInfo::*property) {
  std::vector<std::string_view> names;
  for (const CollectiveInfo& each : collectives) {
    if (each.*property) names.push_back(each.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_rank_count(std::optional<std::int64_t> number) {
  return number && *number >= 1 && *number <= most_ranks;
}

}  // namespace

RankRange parse_ranks(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto first = whole_number(text.substr(0, colon));
  const auto last = colon == std::string::npos ? first : whole_number(text.substr(colon + 1));
  if (!is_rank_count(first) || !is_rank_count(last) || *first > *last) {
    throw std::invalid_argument(
        fmt::format("'{}' is no range of rank counts; accepted are P and LO:HI, from 1 to {}, such "
                    "as 33 or 1:64",
                    text, most_ranks));
  }
  return {static_cast<int>(*first), static_cast<int>(*last)};
}

Collective parse_collective(const std::string& name) {
  if (const auto collective = collective_named(name)) return *collective;
  const std::string what =
      name.empty() ? "a collective is needed" : fmt::format("'{}' is no collective", name);
  throw std::invalid_argument(fmt::format("{}; known are: {}", what, known_collectives()));
}

std::vector<const Algorithm*> parse_algorithms(const std::string& collective,
                                               const std::string& algorithm) {
  std::vector<const Algorithm*> candidates(algorithms().begin(), algorithms().end());
  if (!collective.empty()) candidates = algorithms_of(parse_collective(collective));
  if (algorithm.empty()) return candidates;

  std::vector<std::string_view> known;
  for (const Algorithm* each : candidates) {
    if (std::ranges::find(known, each->name) == known.end()) known.push_back(each->name);
  }
  if (std::ranges::find(known, algorithm) == known.end()) {
    throw std::invalid_argument(fmt::format("'{}' is no algorithm{}; known are: {}", algorithm,
                                            collective.empty() ? "" : " for " + collective,
                                            fmt::join(known, ", ")));
  }
  std::erase_if(candidates, [&](const Algorithm* each) { return each->name != algorithm; });
  return candidates;
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Print JSON instead of a table");
}

void CallOptions::add_shape(CLI::App& app) {
  app.add_option("COLLECTIVE", collective, "One of: " + known_collectives());
  app.add_option("--ranks", ranks, fmt::format("p, the number of ranks (1 to {})", most_ranks))
      ->required();
  app.add_option("--root", root, "Root of a rooted collective (default 0)");
}

void CallOptions::add_size(CLI::App& app) {
  app.add_option("--bytes", bytes, "n, bytes of the whole message: 512, 64K, 1M");
  app.add_option("--machine", machine,
                 "JSON file that `tutti machine` wrote or share/tutti/machines has");
}

void CallOptions::add_operator(CLI::App& app) {
  app.add_flag("--non-commutative", non_commutative, "The operator does not commute");
  app.add_flag("--integers", integers,
               "Operands are integers: their order does not show in a result")
      ->excludes("--non-commutative");
}

int CallOptions::parsed_ranks() const {
  const auto number = whole_number(ranks);
  if (!is_rank_count(number)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is no number of ranks; accepted are whole numbers from 1 to {}", ranks, most_ranks));
  }
  return static_cast<int>(*number);
}

Rank CallOptions::parsed_root() const {
  if (root.empty()) return 0;
  const int p = parsed_ranks();
  const auto number = whole_number(root);
  if (!number || *number >= p) {
    throw std::invalid_argument(fmt::format(
        "root '{}' is a rank outside the communicator; accepted are 0 to {}", root, p - 1));
  }
  if (!info(parse_collective(collective)).rooted) {
    throw std::invalid_argument(fmt::format("{} has no root; --root is accepted for: {}",
                                            collective,
                                            names_of_collectives(&CollectiveInfo::rooted)));
  }
  return static_cast<Rank>(*number);
}

Call CallOptions::call() const {
  const Collective which = parse_collective(collective);
  const int p = parsed_ranks();
  const Rank from = parsed_root();
  if (bytes.empty() && which != Collective::barrier) {
    throw std::invalid_argument("--bytes is needed: the whole message, such as 512, 64K, 1M");
  }
  Call result = call_of_bytes(which, p, bytes.empty() ? 0 : parse_size(bytes), from);
  if (non_commutative && !info(which).reduces) {
    throw std::invalid_argument(
        fmt::format("{} has no operator; --non-commutative is accepted "
                    "for: {}",
                    collective, names_of_collectives(&CollectiveInfo::reduces)));
  }
  result.commutative = !non_commutative;
  result.exact = result.exact || integers;
  result.placement = placed_in_blocks(p, parsed_machine().ranks_per_node);
  return result;
}

Machine CallOptions::parsed_machine() const {
  return machine.empty() ? usual_machine() : read_machine(machine);
}

}  // namespace tutti::tools
