// The MPI libraries' own algorithms, which can be forced while tuning and asked for in the
// library's own settings. All of them: peers.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/call.hpp"

namespace tutti::tools {

enum class PeerLibrary : std::uint8_t { openmpi, mpich };

// What a call must have for an algorithm to serve it.
enum class Need : std::uint8_t {
  nothing,
  two_ranks,
  even_ranks,
  power_of_two,    // ranks
  units,           // at least one for each rank
  commutes,        // the operator
  commutes_units,  // both
};

enum class Segments : std::uint8_t { never, maybe, always };

struct Peer {
  PeerLibrary library;
  Collective collective;
  std::string_view name;  // the library's own word
  int number;             // in Open MPI's rules
  int intel;              // in I_MPI_ADJUST_*; 0 if Intel MPI has no such algorithm
  Need need;
  Segments segments;
};

// One of them, as it runs.
struct NamedPeer {
  const Peer* peer = nullptr;
  int segment = 0;  // bytes; 0: messages are not cut
};

// "native:pipeline:65536": what a profile calls it.
std::string full_name(const NamedPeer& one);
// Nothing if the name is no such name, or the library's algorithm is not known here.
std::optional<NamedPeer> parse_peer_name(PeerLibrary library, Collective collective,
                                         std::string_view name);

// All of a library that serve the call, with every segment that is tried.
std::vector<NamedPeer> peers_for(PeerLibrary library, const Call& call);

// The library that a profile names; nothing if none of its algorithms are known here.
std::optional<PeerLibrary> peer_library(std::string_view library);

}  // namespace tutti::tools
