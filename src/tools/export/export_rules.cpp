#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "tools/export/export.hpp"

namespace tutti::tools {

namespace {

bool same(const NamedPeer& a, const NamedPeer& b) {
  return a.peer == b.peer && a.segment == b.segment;
}

// The fastest of the library's algorithms that a rule can name; none if what the library does by
// itself is as good. What another library does by itself is not known: it is only replaced by what
// is the fastest of all.
NamedPeer choice(const ProfilePoint& point, Collective collective, PeerLibrary library,
                 const Target& target) {
  const bool measured = !target.library.empty();
  NamedPeer best;
  double least = measured ? point.seconds.at("native") * (1 - indifference) : HUGE_VAL;
  for (const auto& [name, seconds] : point.seconds) {
    const auto one = parse_peer_name(library, collective, name);
    if (!one || seconds >= least || (measured && !target.knows(*one))) continue;
    best = *one;
    least = seconds;
  }
  return best.peer != nullptr && target.knows(best) ? best : NamedPeer{};
}

std::vector<Range> ranges_of(const std::vector<ProfilePoint>& points, Collective collective,
                             PeerLibrary library, const Target& target) {
  std::vector<Range> ranges;
  double before = 0;
  for (const ProfilePoint& point : points) {
    const NamedPeer best = choice(point, collective, library, target);
    const auto first = static_cast<std::int64_t>(std::ceil(std::sqrt(before * point.bytes)));
    if (ranges.empty() || !same(ranges.back().one, best)) ranges.push_back({first, best});
    before = point.bytes;
  }
  if (ranges.size() > 1 && !target.tells_sizes(collective)) return {Range{}};
  return ranges;
}

}  // namespace

std::vector<Rule> rules_of(const Profile& profile, PeerLibrary library, const Target& target) {
  std::set<int> seen;
  std::vector<Rule> rules;
  for (const ProfileRun& run : profile.runs) {
    if (!seen.insert(run.p).second) {
      throw std::invalid_argument(fmt::format(
          "two runs have {} ranks, on more and on fewer nodes; rules cannot tell them apart",
          run.p));
    }
    for (const auto& [collective, all] : run.points) {
      std::vector<ProfilePoint> points;
      std::ranges::copy_if(all, std::back_inserter(points), has_peers);
      if (points.empty()) continue;
      rules.push_back({collective, run.p, ranges_of(points, collective, library, target)});
    }
  }
  std::ranges::stable_sort(rules, {},
                           [](const Rule& each) { return std::pair(each.collective, each.p); });
  return rules;
}

}  // namespace tutti::tools
