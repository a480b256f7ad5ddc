#include "select/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "model/files.hpp"
#include "model/refuse.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;

ProfilePoint point_in(const Json& json) {
  ProfilePoint point{json.at("bytes").get<double>(), json.at("winner").get<std::string>()};
  for (const auto& [name, seconds] : json.at("seconds").items()) {
    point.seconds[name] = seconds.get<double>();
  }
  if (!point.seconds.contains(point.winner) || !point.seconds.contains("native")) {
    refuse("has no time of '{}' or of native", point.winner);
  }
  return point;
}

ProfileRun run_in(const Json& json) {
  ProfileRun run{json.at("ranks").get<int>(), json.at("ranks_per_node").get<int>(),
                 json.value("fragment", 0.0)};
  for (const auto& [name, points] : json.at("collectives").items()) {
    const auto collective = collective_named(name);
    if (!collective) refuse("'{}' is no collective", name);
    for (const Json& each : points) run.points[*collective].push_back(point_in(each));
    std::ranges::sort(run.points[*collective], {}, &ProfilePoint::bytes);
  }
  return run;
}

Profile profile_in(const Json& json) {
  const int version = json.at("tutti_profile").get<int>();
  if (version != Profile::version) {
    refuse("has version {}, this Tutti reads {}", version, Profile::version);
  }
  Profile profile{json.at("library"), json.at("machine"), json.at("date")};
  for (const Json& each : json.at("runs")) profile.runs.push_back(run_in(each));
  return profile;
}

std::string line_of(const ProfilePoint& point) {
  return Json{{"bytes", point.bytes}, {"winner", point.winner}, {"seconds", point.seconds}}.dump();
}

bool is_power_of_two(int p) { return (p & (p - 1)) == 0; }

double distance(double a, double b) {
  return std::abs(std::log(std::max(a, 1.0) / std::max(b, 1.0)));
}

}  // namespace

bool has_peers(const ProfilePoint& point) {
  return std::ranges::any_of(
      point.seconds, [](const auto& each) { return each.first.starts_with(Profile::peer_prefix); });
}

Profile parse_profile(const std::string& text, const std::string& path) {
  const auto complain = [&](const std::string& what) {
    return std::invalid_argument(
        fmt::format("profile '{}' {}; accepted are files that `tutti tune` wrote", path, what));
  };
  try {
    return profile_in(Json::parse(text));
  } catch (const nlohmann::json::exception&) {
    throw complain("is not valid");
  } catch (const std::invalid_argument& error) {
    throw complain(error.what());
  }
}

Profile read_profile(const std::string& path) {
  const auto text = contents(path);
  if (!text) refuse("profile '{}' cannot be read", path);
  return parse_profile(*text, path);
}

// A line per point: people read it.
std::string json_of(const Profile& profile) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  std::string text = fmt::format(
      "{{\n  \"tutti_profile\": {},\n  \"library\": {},\n  \"machine\": {},\n  \"date\": {},\n"
      "  \"runs\": [",
      Profile::version, quoted(profile.library), quoted(profile.machine), quoted(profile.date));
  const char* next_run = "\n";
  for (const ProfileRun& run : profile.runs) {
    text += fmt::format("{}    {{\"ranks\": {}, \"ranks_per_node\": {}, ", next_run, run.p,
                        run.ranks_per_node);
    if (run.fragment > 0) text += fmt::format("\"fragment\": {}, ", run.fragment);
    text += "\"collectives\": {";
    const char* next = "\n";
    for (const auto& [collective, points] : run.points) {
      text += fmt::format("{}      \"{}\": [", next, to_string(collective));
      const char* next_point = "\n";
      for (const ProfilePoint& each : points) {
        text += next_point + ("        " + line_of(each));
        next_point = ",\n";
      }
      text += "\n      ]";
      next = ",\n";
    }
    text += "\n    }}";
    next_run = ",\n";
  }
  return text + "\n  ]\n}\n";
}

std::string machine_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string library_named(std::string version) {
  version = version.substr(0, version.find_first_of(",\n"));
  std::ranges::replace(version, '\t', ' ');
  const auto doubled = [](char a, char b) { return a == ' ' && b == ' '; };
  version.erase(std::unique(version.begin(), version.end(), doubled), version.end());
  return version;
}

std::string obstacle(const Profile& profile, const std::string& library) {
  if (profile.library != library) {
    return fmt::format("was measured with '{}', this is '{}'", profile.library, library);
  }
  if (profile.machine != machine_name()) {
    return fmt::format("was measured on '{}', this is '{}'", profile.machine, machine_name());
  }
  return {};
}

const ProfileRun* nearest_run(const Profile& profile, const Call& call) {
  const ProfileRun* nearest = nullptr;
  const int on_a_node = call.placement ? call.placement->most_ranks() : 1;
  const auto far = [&](const ProfileRun& run) {
    return std::pair(is_power_of_two(run.p) != is_power_of_two(call.p),
                     distance(run.p, call.p) + distance(run.ranks_per_node, on_a_node));
  };
  for (const ProfileRun& run : profile.runs) {
    if (nearest == nullptr || far(run) < far(*nearest)) nearest = &run;
  }
  return nearest;
}

const ProfilePoint* nearest_point(const ProfileRun& run, const Call& call) {
  const auto found = run.points.find(call.collective);
  if (found == run.points.end() || found->second.empty()) return nullptr;
  const auto far = [&](const ProfilePoint& point) { return distance(point.bytes, call.bytes()); };
  return &*std::ranges::min_element(found->second, {}, far);
}

// The name under which the algorithm (null: native) was fastest, and its seconds.
static std::optional<std::pair<std::string, double>> fastest_of(const ProfilePoint& point,
                                                                Collective collective,
                                                                const Algorithm* algorithm) {
  std::optional<std::pair<std::string, double>> least;
  for (const auto& each : point.seconds) {
    const bool native = each.first == "native";
    const Algorithm* named = parse_variant(collective, each.first).algorithm;
    if (native ? algorithm != nullptr : named == nullptr || named != algorithm) continue;
    if (!least || each.second < least->second) least = each;
  }
  return least;
}

// Between two sizes, on logarithmic axes; `doubt` is by how much that may be wrong.
static std::string least_between(const ProfilePoint& nearest, const ProfilePoint& beyond,
                                 const Call& call) {
  constexpr double doubt = 0.15;
  const double along =
      distance(call.bytes(), nearest.bytes) / distance(beyond.bytes, nearest.bytes);
  const auto between = [&](const Algorithm* algorithm) -> std::optional<double> {
    const auto here = measured_seconds(nearest, call.collective, algorithm);
    const auto there = measured_seconds(beyond, call.collective, algorithm);
    if (!here || !there) return std::nullopt;
    return std::exp(std::lerp(std::log(*here), std::log(*there), along));
  };
  const Algorithm* best = nullptr;
  double least = (1 - doubt) * between(nullptr).value();
  for (const Algorithm* each : algorithms_of(call.collective)) {
    const auto seconds = accepts(*each, call) ? between(each) : std::nullopt;
    if (seconds && *seconds < least) best = each, least = *seconds;
  }
  return fastest_of(nearest, call.collective, best)->first;
}

std::optional<Finding> finding(const ProfileRun& run, const Call& call) {
  constexpr double near = 3;  // times as large or as small: `tutti tune` takes steps of 4 and 8
  const ProfilePoint* nearest = nearest_point(run, call);
  if (nearest == nullptr) return std::nullopt;
  const Finding as_measured{nearest, nearest->winner};
  if (distance(nearest->bytes, call.bytes()) <= std::log(near)) return as_measured;
  const std::vector<ProfilePoint>& points = run.points.at(call.collective);
  const auto above = std::ranges::upper_bound(points, call.bytes(), {}, &ProfilePoint::bytes);
  if (above == points.begin() || above == points.end()) return as_measured;
  const ProfilePoint& beyond = nearest == &*above ? *(above - 1) : *above;
  const auto winner = [&](const ProfilePoint& point) {
    return parse_variant(call.collective, point.winner).algorithm;
  };
  if (winner(*nearest) == winner(beyond)) return as_measured;
  return Finding{nearest, least_between(*nearest, beyond, call), &beyond};
}

std::optional<double> measured_seconds(const ProfilePoint& point, Collective collective,
                                       const Algorithm* algorithm) {
  const auto fastest = fastest_of(point, collective, algorithm);
  return fastest ? std::optional(fastest->second) : std::nullopt;
}

}  // namespace tutti
