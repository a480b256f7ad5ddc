// Options that several commands have, checked once.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "verify/interpreter.hpp"

namespace tutti::tools {

// The most ranks a command takes; larger schedules need more memory than most machines have.
inline constexpr int most_ranks = 16384;

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

// One collective call, as the command line describes it.
struct CallOptions {
  std::string collective, ranks, root, bytes, machine;
  bool non_commutative = false;
  bool integers = false;

  // COLLECTIVE --ranks --root
  void add_shape(CLI::App& app);
  // --bytes --machine
  void add_size(CLI::App& app);
  void add_operator(CLI::App& app);

  int parsed_ranks() const;
  Rank parsed_root() const;
  Call call() const;
  Machine parsed_machine() const;
};

}  // namespace tutti::tools
