#include "tools/export/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "select/profile.hpp"
#include "tools/cli/numbers.hpp"

namespace tutti::tools {

namespace {

constexpr std::array all{
#define TUTTI_PEER(library, collective, name, number, intel, need, segments) \
  Peer{PeerLibrary::library, Collective::collective, name, number, intel,    \
       Need::need,           Segments::segments},
#include "tools/export/peers.def"
#undef TUTTI_PEER
};

// Bytes; about what the libraries use themselves.
constexpr std::array<int, 2> segments_tried{8 << 10, 64 << 10};

bool serves(const Peer& peer, const Call& call) {
  const auto p = static_cast<unsigned>(call.p);
  switch (peer.need) {
    case Need::nothing:
      return true;
    case Need::two_ranks:
      return p == 2;
    case Need::even_ranks:
      return p % 2 == 0;
    case Need::power_of_two:
      return std::has_single_bit(p);
    case Need::units:
      return call.n() >= call.p;
    case Need::commutes:
      return call.commutative;
    case Need::commutes_units:
      return call.commutative && call.n() >= call.p;
  }
  return false;
}

}  // namespace

std::string full_name(const NamedPeer& one) {
  if (one.segment == 0) return fmt::format("{}{}", Profile::peer_prefix, one.peer->name);
  return fmt::format("{}{}:{}", Profile::peer_prefix, one.peer->name, one.segment);
}

std::optional<NamedPeer> parse_peer_name(PeerLibrary library, Collective collective,
                                         std::string_view name) {
  if (!name.starts_with(Profile::peer_prefix)) return std::nullopt;
  name.remove_prefix(Profile::peer_prefix.size());
  const std::size_t colon = name.find(':');
  const auto found = std::ranges::find_if(all, [&](const Peer& each) {
    return each.library == library && each.collective == collective &&
           each.name == name.substr(0, colon);
  });
  if (found == all.end()) return std::nullopt;
  if (colon == std::string_view::npos) return NamedPeer{&*found};
  const auto segment = whole_number(name.substr(colon + 1));
  if (!segment || *segment < 1 || *segment > INT32_MAX) return std::nullopt;
  return NamedPeer{&*found, static_cast<int>(*segment)};
}

std::vector<NamedPeer> peers_for(PeerLibrary library, const Call& call) {
  std::vector<NamedPeer> result;
  for (const Peer& each : all) {
    if (each.library != library || each.collective != call.collective || !serves(each, call)) {
      continue;
    }
    if (each.segments != Segments::always) result.push_back({&each});
    if (each.segments == Segments::never) continue;
    for (const int segment : segments_tried) {
      if (segment < call.bytes()) result.push_back({&each, segment});
    }
  }
  return result;
}

std::optional<PeerLibrary> peer_library(std::string_view library) {
  if (library.starts_with("Open MPI ")) return PeerLibrary::openmpi;
  if (library.starts_with("MPICH ")) return PeerLibrary::mpich;
  return std::nullopt;
}

}  // namespace tutti::tools
