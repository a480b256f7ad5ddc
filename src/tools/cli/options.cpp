#include "tools/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "algorithms/registry.hpp"
#include "model/machine_file.hpp"
#include "model/refuse.hpp"
#include "model/simulate.hpp"
#include "tools/cli/numbers.hpp"

namespace tutti::tools {

namespace {

std::string names_of_collectives(bool CollectiveInfo::*property) {
  std::vector<std::string_view> names;
  for (const CollectiveInfo& each : collectives) {
    if (each.*property) names.push_back(each.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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
    refuse(
        "'{}' is no range of rank counts; accepted are P and LO:HI, from 1 to {}, such "
        "as 33 or 1:64",
        text, most_ranks);
  }
  return {static_cast<int>(*first), static_cast<int>(*last)};
}

Collective parse_collective(const std::string& name) {
  if (const auto collective = collective_named(name)) return *collective;
  const std::string what =
      name.empty() ? "a collective is needed" : fmt::format("'{}' is no collective", name);
  refuse("{}; known are: {}", what, known_collectives());
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
    refuse("'{}' is no algorithm{}; known are: {}", algorithm,
           collective.empty() ? "" : " for " + collective, fmt::join(known, ", "));
  }
  std::erase_if(candidates, [&](const Algorithm* each) { return each->name != algorithm; });
  return candidates;
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Print JSON instead of a table");
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    parts.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

std::vector<std::int64_t> parse_sizes(const std::string& list, bool adds_doubles,
                                      const char* to_be) {
  std::vector<std::int64_t> sizes;
  for (const std::string& part : parts_of(list)) {
    sizes.push_back(parse_size(part));
    if (sizes.back() == 0 || (adds_doubles && sizes.back() % 8 != 0)) {
      refuse("'{}' cannot be {}; accepted are {}", part, to_be,
             adds_doubles ? "multiples of 8, as doubles are added" : "sizes from 1");
    }
  }
  return sizes;
}

CLI::Option* add_text(CLI::App& app, const char* name, std::string& value,
                      const std::string& what) {
  return app.add_option(name, value, what)->expected(0, 1);
}

void refuse_unknown(const std::vector<std::string>& left_over, const char* accepted) {
  if (left_over.empty()) return;
  refuse("'{}' is not known; accepted: {}", left_over.front(), accepted);
}

void SelectionOptions::add(CLI::App& app) {
  app.add_option("--policy", policy,
                 "model (the default) or mpich2005, the fixed cut-offs of Thakur2005");
  app.add_option("--profile", profile, "JSON file that `tutti tune` wrote");
  app.add_option("--library", library, "mpich or openmpi: by what is known of it, as in a run");
}

std::shared_ptr<const Profile> parse_profile_name(const std::string& path) {
  return path.empty() ? nullptr : std::make_shared<const Profile>(read_profile(path));
}

Policy SelectionOptions::parsed_policy() const {
  return parse_policy(policy.empty() ? setting("TUTTI_POLICY") : std::string_view(policy));
}

// Who asks for a policy gets it everywhere, as in a run.
Library SelectionOptions::parsed_library() const {
  if (library != "mpich" && library != "openmpi" && !library.empty()) {
    refuse("'{}' is no library; accepted are: mpich, openmpi", library);
  }
  const bool any = policy.empty() && setting("TUTTI_POLICY").empty();
  if (library.empty() || !any) return Library::modelled;
  return library == "mpich" ? Library::mpich : Library::openmpi;
}

Selector SelectionOptions::selector(const Machine& machine,
                                    std::shared_ptr<const Profile> measured) const {
  return Selector(parse_forced(setting("TUTTI_FORCE")), parsed_policy(), machine,
                  std::move(measured), parsed_library());
}

std::string SelectionOptions::text() const {
  std::vector<std::string> all;
  if (parsed_policy() == Policy::mpich2005) all.emplace_back("policy mpich2005");
  if (!profile.empty()) all.push_back("profile " + profile);
  const std::string_view forced = setting("TUTTI_FORCE");
  if (!forced.empty()) all.push_back(fmt::format("TUTTI_FORCE={}", forced));
  return fmt::format("{}", fmt::join(all, ", "));
}

void CallOptions::add_shape(CLI::App& app) {
  app.add_option("COLLECTIVE", collective, "One of: " + known_collectives());
  app.add_option("--ranks", ranks, fmt::format("p, the number of ranks (1 to {})", most_ranks));
  app.add_option("--root", root, "Root of a rooted collective (default 0)");
}

void CallOptions::add_size(CLI::App& app) {
  app.add_option("--bytes", bytes, "n, bytes of the whole message: 512, 64K, 1M");
  app.add_option("--machine", machine,
                 "JSON file that `tutti machine` wrote or share/tutti/machines has");
  app.add_option("--ranks-per-node,--per-node", ranks_per_node,
                 "Instead of the machine file's, or one");
}

void CallOptions::add_operator(CLI::App& app) {
  app.add_flag("--user-op", user_op,
               "The operator is the user's own: operands stay whole, unless TUTTI_USER_OPS=any");
  app.add_flag("--non-commutative", non_commutative,
               "The operator does not commute; so it is the user's own");
  app.add_flag("--integers", integers,
               "Operands are integers: their order does not show in a result")
      ->excludes("--non-commutative")
      ->excludes("--user-op");
}

void use_users_operator(Call& call) {
  call.predefined = false;
  call.exact = false;
  call.whole_operands = !parse_user_ops(setting("TUTTI_USER_OPS"));
}

// Needed, but what is wrong with the collective comes first.
int CallOptions::parsed_ranks() const {
  if (ranks.empty()) refuse("--ranks is needed: 1 to {}", most_ranks);
  const auto number = whole_number(ranks);
  if (!is_rank_count(number)) {
    refuse("'{}' is no number of ranks; accepted are whole numbers from 1 to {}", ranks,
           most_ranks);
  }
  return static_cast<int>(*number);
}

Rank CallOptions::parsed_root() const {
  if (root.empty()) return 0;
  const int p = parsed_ranks();
  const auto number = whole_number(root);
  if (!number || *number >= p) {
    refuse("root '{}' is a rank outside the communicator; accepted are 0 to {}", root, p - 1);
  }
  if (!info(parse_collective(collective)).rooted) {
    refuse("{} has no root; --root is accepted for: {}", collective,
           names_of_collectives(&CollectiveInfo::rooted));
  }
  return static_cast<Rank>(*number);
}

Call CallOptions::call() const {
  const Collective which = parse_collective(collective);
  const int p = parsed_ranks();
  const Rank from = parsed_root();
  if (bytes.empty() && which != Collective::barrier) {
    refuse("--bytes is needed: the whole message, such as 512, 64K, 1M");
  }
  Call result = call_of_bytes(which, p, bytes.empty() ? 0 : parse_size(bytes), from);
  if (is_users_operator() && !info(which).reduces) {
    refuse("{} has no operator; {} is accepted for: {}", collective,
           user_op ? "--user-op" : "--non-commutative",
           names_of_collectives(&CollectiveInfo::reduces));
  }
  result.commutative = !non_commutative;
  if (is_users_operator()) use_users_operator(result);
  result.exact = result.exact || integers;
  result.placement = placed_in_blocks(p, parsed_machine().ranks_per_node);
  return result;
}

// Where no file says otherwise, ranks of a node share memory, as in a run.
Machine CallOptions::parsed_machine() const {
  Machine result = read_machine(machine);
  if (machine.empty()) result.inside = Inside::memory;
  if (ranks_per_node.empty()) return result;
  result.ranks_per_node =
      static_cast<int>(parse_number(ranks_per_node, "number of ranks per node", 1, most_ranks));
  return result;
}

}  // namespace tutti::tools
