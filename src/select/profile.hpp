// What was measured on a machine: for each collective, p and size the algorithm that was fastest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "select/variant.hpp"

namespace tutti {

// Times closer than this are the same: a race is not run longer to tell them apart, and what a
// library does by itself is replaced only by what is faster by more.
inline constexpr double indifference = 0.02;

// One call that was measured. Names are those of algorithms, with their parameter ("two_tree:16"),
// or "native", or those of the library's own algorithms, each forced ("native:ring"): Tutti cannot
// choose these, and they never win.
struct ProfilePoint {
  double bytes = 0;  // of the whole message
  std::string winner{};
  std::map<std::string, double> seconds{};  // of those still in the race at its end, and of native
};

// Whether any of the library's own algorithms was measured.
bool has_peers(const ProfilePoint& point);

// All that was measured with one number of ranks.
struct ProfileRun {
  int p = 1;
  int ranks_per_node = 1;
  double fragment = 0;  // bytes, of messages between nodes: as Machine::fragment
  std::map<Collective, std::vector<ProfilePoint>> points{};  // by size
};

struct Profile {
  static constexpr int version = 1;
  static constexpr std::string_view peer_prefix = "native:";
  std::string library{};  // as library_named says
  std::string machine{};  // as machine_name says
  std::string date{};
  std::vector<ProfileRun> runs{};
};

// A file that `tutti tune` wrote. Throws std::invalid_argument naming it and what is wrong.
Profile read_profile(const std::string& path);
// The same of its text.
Profile parse_profile(const std::string& text, const std::string& path);
std::string json_of(const Profile& profile);

// The processor this runs on.
std::string machine_name();
// The text in which a library names its version, in a few words.
std::string library_named(std::string version);
// Why a profile is not for this library on this machine; empty if it is.
std::string obstacle(const Profile& profile, const std::string& library);

// The run nearest to the call in p and in ranks per node, by their ratios; of those whose p is a
// power of two if the call's is one, and is none if it is not, unless there are no such. Null if
// there is none.
const ProfileRun* nearest_run(const Profile& profile, const Call& call);
// What was measured nearest to a call in size; null if that collective was not.
const ProfilePoint* nearest_point(const ProfileRun& run, const Call& call);
// What measurements say of a call: which was the fastest, or would be, and where it was measured.
struct Finding {
  const ProfilePoint* nearest = nullptr;  // to the call in size
  std::string winner{};                   // one of its names
  const ProfilePoint* beyond = nullptr;   // on the other side, if times were interpolated
};
// What won at the nearest size, if that is near, or the first or the last, or if the same algorithm
// won on both sides. Else, of the algorithms that were measured on both and accept the call, the
// one with the least time by interpolation; native, if that is not slower by more than
// interpolation may be wrong. Nothing if the collective was not measured.
std::optional<Finding> finding(const ProfileRun& run, const Call& call);

// Seconds of the algorithm (null: native), with whatever parameter was fastest.
std::optional<double> measured_seconds(const ProfilePoint& point, Collective collective,
                                       const Algorithm* algorithm);

}  // namespace tutti
