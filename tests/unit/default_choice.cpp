// What is chosen where the user measured nothing, replayed on what was measured: docs/results. A
// default that would again take what is slower than the native collective fails here.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
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

// With its parameter, or the nearest that was measured; 0 if the algorithm was not.
double seconds_of(const ProfilePoint& point, Collective collective, const Variant& choice) {
  if (choice.algorithm == nullptr) return point.seconds.at("native");
  double nearest = std::numeric_limits<double>::infinity(), seconds = 0;
  for (const auto& [name, each] : point.seconds) {
    const Variant named = parse_variant(collective, name);
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
      const double seconds = seconds_of(point, collective, choice);
      result.add(call, full_name(choice), seconds > 0 ? point.seconds.at("native") / seconds : 0,
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

// The choice's time over the best that was measured, native included, whichever library it was.
// Infinite where the choice was not measured at all.
using Ratios = std::map<std::string, std::vector<double>>;  // of all, by network, by collective

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values.at(static_cast<std::size_t>(part * static_cast<double>(values.size() - 1)));
}

void add_all(const OfLibrary& library, const std::string& network, const Chooser& choose,
             Ratios& ratios, std::vector<std::string>& unknown) {
  const Profile profile = read_profile(results(network + ".json"));
  const ProfileRun& run = profile.runs.at(0);
  for (const auto& [collective, points] : run.points) {
    for (const ProfilePoint& point : points) {
      const Call call = call_of_bytes(collective, run.p, static_cast<std::int64_t>(point.bytes));
      const Choice choice = choose(call);
      double best = std::numeric_limits<double>::infinity();
      for (const auto& [name, seconds] : point.seconds) {
        if (!name.starts_with(Profile::peer_prefix)) best = std::min(best, seconds);
      }
      const double seconds = seconds_of(point, collective, choice);
      const double ratio = seconds > 0 ? seconds / best : std::numeric_limits<double>::infinity();
      for (const std::string& group : {std::string("all"), "on " + network,
                                       "of " + std::string(to_string(collective)), library.name}) {
        ratios[group].push_back(ratio);
      }
      if (seconds > 0) continue;
      unknown.push_back(fmt::format("{} {} {:.0f} bytes: {}", network, to_string(collective),
                                    point.bytes, full_name(choice)));
    }
  }
}

// All that was measured of hosts on slow networks: constants fitted to some of them hold on the
// others.
TEST(DefaultChoice, IsNearlyTheBestOnHosts) {
  Ratios ratios;
  std::vector<std::string> unknown;
  for (const OfLibrary& each : libraries) {
    const Chooser choose = untuned(each.library, rig_latency);
    for (const char* of :
         {"hosts-{}-7x200", "hosts-{}-8x200", "hosts-{}-9x200", "hosts-{}-13x200",
          "hosts-{}-16x100", "slower-{}-9x25", "slower-{}-13x25", "slower-{}-16x12.5"}) {
      add_all(each, fmt::format(fmt::runtime(of), each.name), choose, ratios, unknown);
    }
  }
  for (const auto& [group, values] : ratios) {
    fmt::print("{:30} {:4} points: median {:.3f}, 90th percentile {:.3f}\n", group, values.size(),
               quantile(values, 0.5), quantile(values, 0.9));
    const bool is_collective = group.starts_with("of ");
    EXPECT_LE(quantile(values, 0.5), 1.1) << group;
    EXPECT_LE(quantile(values, 0.9), is_collective ? 1.4 : 1.25) << group;
  }
  EXPECT_GT(ratios.at("all").size(), 900);
  EXPECT_LE(unknown.size(), ratios.at("all").size() / 40) << PrintToString(unknown);
}

// Nobody knows how connections of faster networks are shared. What is chosen then takes little
// longer than what would be chosen if that were known, whichever it is.
TEST(DefaultChoice, IsGoodHoweverConnectionsAreShared) {
  for (const double latency : {20e-6, 1.5e-6}) {
    const Machine usual = machine_by(latency, usual_machine().gamma);
    for (const double in_order : {0.0, 16384.0}) {
      Machine known = usual;
      known.in_order = in_order;
      const Selector unsure({}, Policy::model, usual), sure({}, Policy::model, known);
      std::vector<double> regrets;
      for (const Collective collective :
           {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::scan,
            Collective::allgather, Collective::reduce_scatter}) {
        for (const std::int64_t bytes : {4 << 10, 32 << 10, 128 << 10, 512 << 10}) {
          const Call call = call_of_bytes(collective, 12, bytes);
          const auto seconds = [&](const Choice& choice) {
            Call with = call;
            with.parameter = choice.parameter;
            return simulate(*choice.algorithm, with, known).seconds;
          };
          regrets.push_back(seconds(unsure.choose(call)) / seconds(sure.choose(call)));
        }
      }
      EXPECT_LE(quantile(regrets, 0.9), 1.2) << latency << " " << in_order;
      EXPECT_LE(quantile(regrets, 1), 1.5) << latency << " " << in_order;
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
      result.add(call, full_name(choice), 0, 0);
    } else {
      result.add(call, full_name(choice), time->second.ratio, time->second.is_slower ? 0.95 : 0);
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
