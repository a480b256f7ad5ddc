// Options that several commands have, checked once.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "machine/machine.hpp"
#include "select/select.hpp"

namespace tutti::tools {

// The most ranks a command takes.
inline constexpr int most_ranks = 1'000'000;

struct RankRange {
  int first = 1;
  int last = 1;
};

// P or LO:HI. All functions here throw std::invalid_argument naming what is accepted.
RankRange parse_ranks(const std::string& text);
Collective parse_collective(const std::string& name);
// The named algorithm, or all; of the named collective, or of all (empty names: all).
std::vector<const Algorithm*> parse_algorithms(const std::string& collective,
                                               const std::string& algorithm);

void add_json(CLI::App& app, bool& json);

// The parts of a list whose separators are commas.
std::vector<std::string> parts_of(const std::string& list);
// Sizes of such a list, in multiples of 8 if doubles are added, to be "timed" or "tuned".
std::vector<std::int64_t> parse_sizes(const std::string& list, bool adds_doubles,
                                      const char* to_be);

// Commands of many ranks let rank 0 report every mistake, so nothing that a user may type is
// refused before they run: an option may lack its value, and what is not known is left over.
CLI::Option* add_text(CLI::App& app, const char* name, std::string& value, const std::string& what);
void refuse_unknown(const std::vector<std::string>& left_over, const char* accepted);

// Reads a profile; null if there is none to read.
std::shared_ptr<const Profile> parse_profile_name(const std::string& path);

// What decides beside the machine: --policy, --profile, --library and, as in a run, TUTTI_FORCE and
// TUTTI_POLICY.
struct SelectionOptions {
  std::string policy, profile, library;

  void add(CLI::App& app);
  // `measured`: the parsed profile.
  Selector selector(const Machine& machine, std::shared_ptr<const Profile> measured) const;
  // "policy mpich2005, TUTTI_FORCE=bcast=chain"; empty if the model alone decides.
  std::string text() const;

 private:
  Policy parsed_policy() const;
  Library parsed_library() const;
};

// The call's operator is one that the user made; TUTTI_USER_OPS counts, as in a run.
void use_users_operator(Call& call);

// One collective call, as the command line describes it.
struct CallOptions {
  std::string collective, ranks, root, bytes, machine, ranks_per_node;
  bool non_commutative = false;  // so the operator is the user's
  bool user_op = false;
  bool integers = false;

  // COLLECTIVE --ranks --root
  void add_shape(CLI::App& app);
  // --bytes --machine --ranks-per-node
  void add_size(CLI::App& app);
  void add_operator(CLI::App& app);
  bool is_users_operator() const { return user_op || non_commutative; }

  int parsed_ranks() const;
  Rank parsed_root() const;
  Call call() const;
  Machine parsed_machine() const;
};

}  // namespace tutti::tools
