// What is chosen where the user measured nothing, replayed on what was measured: docs/results. A
// default that would again take what is slower than the native collective fails here.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

#include "model/files.hpp"
#include "model/simulate.hpp"
#include "select/select.hpp"

namespace tutti {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::PrintToString;

using Chooser = std::function<Choice(const Call&)>;

std::string results(const std::string& file) {
  return std::string(TUTTI_SOURCE_DIR) + "/../docs/results/" + file;
}

struct Replayed {
  int cases = 0;
  std::vector<double> ratios{};        // native's time over the choice's, where that was measured
  std::vector<std::string> slow{};     // by more than was allowed
  std::vector<std::string> unknown{};  // whose choice was not measured
  double mean() const {
    const auto log = [](double sum, double ratio) { return sum + std::log(ratio); };
    return std::exp(std::accumulate(ratios.begin(), ratios.end(), 0.0, log) /
                    static_cast<double>(ratios.size()));
  }
  void add(const Call& call, const std::string& choice, double ratio, double least) {
    ++cases;
    const std::string text =
        fmt::format("{} p={} {:.0f} bytes: {} {:.2f}", to_string(call.collective), call.p,
                    call.bytes(), choice, ratio);
    if (ratio == 0) unknown.push_back(text);
    if (ratio == 0) return;
    ratios.push_back(ratio);
    if (ratio < least) slow.push_back(text);
  }
};

std::string name_of(const Choice& choice) {
  return choice.algorithm != nullptr ? full_name(*choice.algorithm, choice.parameter) : "native";
}

// With its parameter, or one at most twice as large or as small; 0 if there is none.
double seconds_of(const ProfilePoint& point, const Call& call, const Choice& choice) {
  if (choice.algorithm == nullptr) return point.seconds.at("native");
  double nearest = std::log(2.01), seconds = 0;
  for (const auto& [name, each] : point.seconds) {
    const Named named = parse_full_name(call.collective, name);
    if (named.algorithm != choice.algorithm) continue;
    const double far =
        std::abs(std::log(std::max(named.parameter, 1)) - std::log(std::max(choice.parameter, 1)));
    if (far < nearest) nearest = far, seconds = each;
  }
  return seconds;
}

Replayed replay(const std::string& file, double from, double least, const Chooser& choose) {
  const Profile profile = read_profile(results(file));
  const ProfileRun& run = profile.runs.at(0);
  Replayed result;
  for (const auto& [collective, points] : run.points) {
    for (const ProfilePoint& point : points) {
      if (point.bytes < from) continue;
      Call call = call_of_bytes(collective, run.p, static_cast<std::int64_t>(point.bytes));
      call.placement = placed_in_blocks(run.p, run.ranks_per_node);
      const Choice choice = choose(call);
      const double seconds = seconds_of(point, call, choice);
      result.add(call, name_of(choice), seconds > 0 ? point.seconds.at("native") / seconds : 0,
                 least);
    }
  }
  return result;
}

// As a program without machine file and profile has it, where latency is this (0: one node).
Chooser untuned(Library library, double latency) {
  const Machine machine = machine_by(latency, usual_machine().gamma);
  return [selector = Selector({}, Policy::model, machine, nullptr, library)](const Call& call) {
    return selector.choose(call);
  };
}

struct OfLibrary {
  Library library;
  std::string name;
  double mean_of_two, mean_of_more;  // ranks of a node, over native: wanted
};
const std::vector<OfLibrary> libraries{{Library::openmpi, "openmpi", 1.05, 1.05},
                                       {Library::mpich, "mpich", 1.5, 1.3}};

constexpr double rig_latency = 100e-6;

TEST(DefaultChoice, IsAsFastAsNativeWithTwoRanksOnANode) {
  for (const OfLibrary& each : libraries) {
    const Replayed replayed =
        replay("shared-" + each.name + "-2.json", 0, 0.95, untuned(each.library, 0));
    EXPECT_THAT(replayed.slow, IsEmpty()) << each.name;
    EXPECT_GE(replayed.mean(), each.mean_of_two) << each.name;
    // Those were timed on the node of sixteen processors.
    EXPECT_LE(replayed.unknown.size(), replayed.cases / 6) << PrintToString(replayed.unknown);
  }
}

TEST(DefaultChoice, IsFasterThanNativeOnHosts) {
  for (const OfLibrary& each : libraries) {
    for (const char* network : {"7x200", "8x200", "9x200", "13x200"}) {
      const std::string file = fmt::format("hosts-{}-{}.json", each.name, network);
      const Replayed replayed = replay(file, 1024, 0.9, untuned(each.library, rig_latency));
      EXPECT_THAT(replayed.slow, IsEmpty()) << file;
      EXPECT_GE(replayed.mean(), 1.5) << file;
      EXPECT_LE(replayed.unknown.size(), replayed.cases / 10) << PrintToString(replayed.unknown);
    }
  }
}

// What was measured of a call on a node of 16 processors: by algorithm, native's time over its, and
// whether it is surely slower. Parameters were the model's.
struct OnNode {
  double ratio = 0;
  bool is_slower = false;
};
using OnNodes = std::map<std::tuple<Collective, int, double>, std::map<std::string, OnNode>>;

OnNodes on_nodes(const std::string& file) {
  std::ifstream source(results(file));
  OnNodes all;
  std::string line;
  std::getline(source, line);  // the head
  while (std::getline(source, line)) {
    std::istringstream fields(line);
    std::string collective, p, bytes, algorithm, seconds, result;
    for (std::string* field : {&collective, &p, &bytes, &algorithm, &seconds, &result}) {
      std::getline(fields, *field, ',');
    }
    all[{collective_named(collective).value(), std::stoi(p), std::stod(bytes)}][algorithm] = {
        std::stod(seconds), result == "slower"};
  }
  for (auto& [call, times] : all) {
    const double native = times.at("native").ratio;
    for (auto& [name, time] : times) time.ratio = native / time.ratio;
  }
  return all;
}

Replayed replay_on_nodes(const std::string& file, int most_p, const Chooser& choose) {
  Replayed result;
  for (const auto& [key, times] : on_nodes(file)) {
    const auto& [collective, p, bytes] = key;
    if (p > most_p) continue;
    Call call = call_of_bytes(collective, p, static_cast<std::int64_t>(bytes));
    call.placement = placed_in_blocks(p, p);
    const Choice choice = choose(call);
    const auto time = times.find(choice.algorithm != nullptr ? std::string(choice.algorithm->name)
                                                             : std::string("native"));
    if (time == times.end()) {
      result.add(call, name_of(choice), 0, 0);
    } else {
      result.add(call, name_of(choice), time->second.ratio, time->second.is_slower ? 0.95 : 0);
    }
  }
  return result;
}

TEST(DefaultChoice, IsAsFastAsNativeOnANodeOfSixteenProcessors) {
  for (const OfLibrary& each : libraries) {
    const Replayed replayed =
        replay_on_nodes("node16-" + each.name + ".csv", 16, untuned(each.library, 0));
    EXPECT_GT(replayed.cases, 600) << each.name;
    EXPECT_THAT(replayed.slow, IsEmpty()) << each.name;
    EXPECT_THAT(replayed.unknown, IsEmpty()) << each.name;
    EXPECT_GE(replayed.mean(), each.mean_of_more) << each.name;
  }
}

// The model alone, for a machine that it was not made for: what programs had.
TEST(DefaultChoice, OfTheModelAloneIsFoundOut) {
  const Chooser in_node = untuned(Library::modelled, 0);
  const auto on_node = replay_on_nodes("node16-openmpi.csv", 2, in_node);
  EXPECT_THAT(on_node.slow, Contains(HasSubstr("bcast p=2 262144 bytes")));
  const auto two = replay("shared-openmpi-2.json", 0, 0.95, in_node);
  EXPECT_THAT(two.slow, Not(IsEmpty()));
  const Chooser ethernet = untuned(Library::modelled, 20e-6);
  EXPECT_THAT(replay("hosts-mpich-8x200.json", 1024, 0.9, ethernet).slow,
              Contains(HasSubstr("bcast p=8 4096 bytes")));
}

}  // namespace
}  // namespace tutti
