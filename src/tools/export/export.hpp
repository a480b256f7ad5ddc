// What `tutti export` writes: which of its own algorithms an MPI library is to use, from which size
// on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/export/peers.hpp"

namespace tutti::tools {

struct Range {
  std::int64_t first = 0;  // bytes of the whole message; up to the next range
  NamedPeer one{};         // no algorithm: what the library would choose by itself
};

// For communicators of exactly p ranks.
struct Rule {
  Collective collective;
  int p;
  std::vector<Range> ranges;  // the first begins at 0

  // Whether the library is to do anything but what it does by itself.
  bool changes() const { return ranges.size() > 1 || ranges.front().one.peer != nullptr; }
};

// Those of one are in the order of p.
using RulesByCollective = std::map<Collective, std::vector<Rule>>;

// A file beside the one that the user names.
struct RulesFile {
  std::string ending;  // what is added to that name
  std::string text;
};

// A library that takes rules.
struct Target {
  std::string_view name;  // as --to has it
  // How the library of a profile begins that serves; empty if any does, as what was measured is
  // another library.
  std::string_view library;
  // Whether its rules can leave sizes, and communicators of another p, to the library.
  bool leaves_alone;
  // Whether its rules can depend on the size of a call.
  bool (*tells_sizes)(Collective collective);
  // Whether its rules can name an algorithm.
  bool (*knows)(const NamedPeer& one);
  std::vector<RulesFile> (*written)(const RulesByCollective& rules);
  // What a user adds to a run.
  std::string (*use)(const std::string& path);
};

extern const Target openmpi_target, mpich_target, intel_target;

}  // namespace tutti::tools
