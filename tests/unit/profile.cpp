// What was measured: read, written, looked up, and chosen by.
#include "select/profile.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "select/select.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

ProfilePoint point(double bytes, const std::string& winner) {
  return {bytes, winner, {{winner, 1e-6}, {"native", 2e-6}}};
}

Profile some_profile() {
  Profile profile{"A library 1.0", machine_name(), "2026-11-21"};
  ProfileRun eight{8, 2};
  eight.points[Collective::allreduce] = {point(8, "recursive_doubling"), point(1 << 20, "ring")};
  eight.points[Collective::bcast] = {point(8, "native"), point(1 << 20, "two_tree:16")};
  ProfileRun nine{9, 1};
  nine.fragment = 16384;
  nine.points[Collective::allreduce] = {point(1024, "circulant")};
  profile.runs = {eight, nine};
  return profile;
}

TEST(Profiles, AreReadAsTheyAreWritten) {
  const std::string text = json_of(some_profile());
  const Profile read = parse_profile(text, "f");
  EXPECT_EQ(json_of(read), text);
  ASSERT_EQ(read.runs.size(), 2u);
  EXPECT_EQ(read.runs[0].p, 8);
  EXPECT_EQ(read.runs[0].ranks_per_node, 2);
  EXPECT_EQ(read.runs[0].fragment, 0);
  EXPECT_EQ(read.runs[1].fragment, 16384);
  EXPECT_EQ(read.runs[0].points.at(Collective::bcast)[1].winner, "two_tree:16");
  EXPECT_EQ(read.runs[0].points.at(Collective::bcast)[1].seconds.at("native"), 2e-6);
}

TEST(Profiles, KeepTheLibrarysOwnAlgorithmsWhichNobodyChooses) {
  Profile profile = some_profile();
  ProfilePoint& point = profile.runs[0].points[Collective::allreduce][1];
  EXPECT_FALSE(has_peers(point));
  point.seconds["native:ring:8192"] = 1e-9;
  const ProfilePoint read =
      parse_profile(json_of(profile), "f").runs[0].points.at(Collective::allreduce)[1];
  EXPECT_TRUE(has_peers(read));
  EXPECT_EQ(read.seconds.at("native:ring:8192"), 1e-9);
  EXPECT_EQ(measured_seconds(read, Collective::allreduce, nullptr), 2e-6);
  EXPECT_EQ(
      measured_seconds(read, Collective::allreduce, find_algorithm(Collective::allreduce, "ring")),
      1e-6);
}

// What was measured is run as it was measured, whatever the machine file says.
TEST(Profiles, SayHowLongTheFragmentsWere) {
  const auto profile = std::make_shared<const Profile>(some_profile());
  Machine machine;
  machine.fragment = 1000;
  const Selector selector({}, Policy::model, machine, profile);
  const auto fragment = [&](Collective collective, int p) {
    return selector.choose(call_of_bytes(collective, p, 1024)).fragment;
  };
  EXPECT_EQ(fragment(Collective::allreduce, 9), 16384);
  EXPECT_EQ(fragment(Collective::allreduce, 8), 0);
  EXPECT_EQ(fragment(Collective::scan, 9), 1000) << "was not measured";
  const Forced forced = parse_forced("allreduce=ring");
  EXPECT_EQ(Selector(forced, Policy::model, machine, profile)
                .choose(call_of_bytes(Collective::allreduce, 9, 1024))
                .fragment,
            1000);
}

void expect_refused(const std::string& text, const std::string& because) {
  try {
    parse_profile(text, "site.json");
    ADD_FAILURE() << "accepted " << text;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("profile 'site.json' " + because));
    EXPECT_THAT(error.what(), HasSubstr("tutti tune"));
  }
}

TEST(Profiles, AreRefusedIfNotValid) {
  for (const char* text : {"", "{", "[]", "{}", R"({"tutti_profile": "one"})"}) {
    expect_refused(text, "is not valid");
  }
  expect_refused(R"({"tutti_profile": 2})", "has version 2, this Tutti reads 1");
  std::string text = json_of(some_profile());
  text.replace(text.find("bcast"), 5, "boast");
  expect_refused(text, "'boast' is no collective");
  text = json_of(some_profile());
  text.replace(text.find("\"ring\""), 6, "\"wing\"");
  expect_refused(text, "has no time of 'wing'");
  EXPECT_THROW(read_profile("/nonexistent/site.json"), std::invalid_argument);
}

TEST(Profiles, AreForOneLibraryOnOneMachine) {
  Profile profile = some_profile();
  EXPECT_EQ(obstacle(profile, "A library 1.0"), "");
  EXPECT_THAT(obstacle(profile, "Another 2.0"),
              HasSubstr("'A library 1.0', this is 'Another 2.0'"));
  profile.machine = "Abacus";
  EXPECT_THAT(obstacle(profile, "A library 1.0"), HasSubstr("'Abacus'"));
}

TEST(Profiles, LibrariesHaveShortNames) {
  EXPECT_EQ(library_named("Open MPI v4.1.4, package: Debian"), "Open MPI v4.1.4");
  EXPECT_EQ(library_named("MPICH Version:\t4.0.2\nMPICH Release date"), "MPICH Version: 4.0.2");
}

Call call_on(int p, int ranks_per_node) {
  Call call = call_of_bytes(Collective::allreduce, p, 8);
  call.placement = placed_in_blocks(p, ranks_per_node);
  return call;
}

TEST(Profiles, TheNearestNumberOfRanksOfTheSameKindCounts) {
  const Profile profile = some_profile();
  EXPECT_EQ(nearest_run(profile, call_on(8, 2))->p, 8);
  EXPECT_EQ(nearest_run(profile, call_on(64, 1))->p, 8);
  EXPECT_EQ(nearest_run(profile, call_on(9, 1))->p, 9);
  EXPECT_EQ(nearest_run(profile, call_on(7, 2))->p, 9) << "no power of two either";
  Profile one = profile;
  one.runs.pop_back();
  EXPECT_EQ(nearest_run(one, call_on(7, 1))->p, 8);
  EXPECT_EQ(nearest_run(Profile{}, call_on(7, 1)), nullptr);
}

TEST(Profiles, RanksPerNodeCount) {
  Profile profile;
  profile.runs = {{8, 8}, {8, 1}, {32, 8}};
  const auto nearest = [&](int p, int ranks_per_node) {
    const ProfileRun* run = nearest_run(profile, call_on(p, ranks_per_node));
    return std::pair(run->p, run->ranks_per_node);
  };
  EXPECT_EQ(nearest(8, 1), std::pair(8, 1));
  EXPECT_EQ(nearest(8, 8), std::pair(8, 8));
  EXPECT_EQ(nearest(8, 4), std::pair(8, 8));
  EXPECT_EQ(nearest(32, 1), std::pair(8, 1));
  EXPECT_EQ(nearest(64, 16), std::pair(32, 8));
}

TEST(Profiles, TheNearestSizeCounts) {
  const Profile profile = some_profile();
  const auto winner = [&](std::int64_t bytes) {
    return nearest_point(profile.runs[0], call_of_bytes(Collective::allreduce, 8, bytes))->winner;
  };
  EXPECT_EQ(winner(0), "recursive_doubling");
  EXPECT_EQ(winner(2048), "recursive_doubling");
  EXPECT_EQ(winner(4096), "ring") << "nearer by its logarithm";
  EXPECT_EQ(winner(1 << 30), "ring");
  EXPECT_EQ(nearest_point(profile.runs[0], call_of_bytes(Collective::scan, 8, 8)), nullptr);
}

TEST(Profiles, SpeakForSizesNearThoseMeasuredAndBeyondTheEnds) {
  ProfileRun run{8, 1};
  run.points[Collective::bcast] = {point(4096, "binomial"), point(1 << 20, "two_tree:16"),
                                   point(1 << 24, "two_tree:64"), point(1 << 28, "chain:100")};
  const auto winner = [&](std::int64_t bytes) {
    return finding(run, call_of_bytes(Collective::bcast, 8, bytes)).value().winner;
  };
  EXPECT_EQ(winner(0), "binomial");
  EXPECT_EQ(winner(4096 / 2), "binomial");
  EXPECT_EQ(winner(3 * 4096), "binomial");
  EXPECT_EQ(winner(3 << 20), "two_tree:16");
  EXPECT_EQ(winner(3 << 20 | 1), "two_tree:16") << "far from both, where the same won";
  EXPECT_EQ(winner(6 << 20), "two_tree:64");
  EXPECT_EQ(winner(std::int64_t{1} << 40), "chain:100");
  EXPECT_FALSE(finding(run, call_of_bytes(Collective::scan, 8, 8)).has_value());
}

// At 64 bytes and a mebibyte; 8 KiB is half way on a logarithmic axis.
TEST(Profiles, AreInterpolatedBetweenSizesFarApart) {
  const auto half_way = [](ProfilePoint low, ProfilePoint high, std::int64_t bytes = 8192) {
    ProfileRun run{8, 1};
    run.points[Collective::bcast] = {std::move(low), std::move(high)};
    const auto found = finding(run, call_of_bytes(Collective::bcast, 8, bytes)).value();
    EXPECT_NE(found.beyond, nullptr);
    return found.winner;
  };
  const ProfilePoint low{64, "binomial", {{"binomial", 1}, {"two_tree:1", 3}, {"native", 2}}};
  ProfilePoint high{1 << 20,
                    "two_tree:9",
                    {{"two_tree:9", 40}, {"binomial", 160}, {"two_tree:8", 50}, {"native", 300}}};
  EXPECT_EQ(half_way(low, high, 8191), "two_tree:1") << "sqrt(120), sqrt(160), sqrt(600)";
  EXPECT_EQ(half_way(low, high, 8193), "two_tree:9") << "as it was fastest at the nearest size";
  EXPECT_EQ(half_way(low, high, 512), "binomial");
  high.seconds["native"] = 70;
  EXPECT_EQ(half_way(low, high), "native") << "sqrt(140): not slower for sure";
  high.seconds["native"] = 300;
  high.seconds.erase("two_tree:8"), high.seconds.erase("two_tree:9");
  high.seconds["chain:9"] = 1;
  high.winner = "chain:9";
  EXPECT_EQ(half_way(low, high), "binomial") << "of chain nothing is known at 64 bytes";
}

Choice chosen(const Call& call, const Profile& profile = some_profile()) {
  return Selector({}, Policy::model, usual_machine(), std::make_shared<Profile>(profile))
      .choose(call);
}

TEST(ChooseByProfile, TakesWhatWasFastest) {
  const Choice ring = chosen(call_of_bytes(Collective::allreduce, 8, 1 << 20));
  ASSERT_NE(ring.algorithm, nullptr);
  EXPECT_EQ(ring.algorithm->name, "ring");
  EXPECT_EQ(ring.why, "fastest when measured with p = 8, 1048576 bytes");
  const Choice tree = chosen(call_of_bytes(Collective::bcast, 8, 1 << 20));
  EXPECT_EQ(tree.algorithm->name, "two_tree");
  EXPECT_EQ(tree.parameter, 16);
}

TEST(ChooseByProfile, ScalesTheParameterAsTheModelDoes) {
  const auto segments = [](std::int64_t bytes) {
    return chosen(call_of_bytes(Collective::bcast, 8, bytes)).parameter;
  };
  EXPECT_EQ(segments(1 << 20), 16);
  EXPECT_NEAR(segments(1 << 22), 32, 1) << "the best number grows with the root of n";
  EXPECT_NEAR(segments(1 << 24), 64, 1);
  EXPECT_LT(segments(1 << 19), 16);
}

TEST(ChooseByProfile, MayTakeTheNativeCollective) {
  EXPECT_EQ(chosen(call_of_bytes(Collective::bcast, 8, 8)).algorithm, nullptr);
}

TEST(ChooseByProfile, LeavesToTheModelWhatWasNotMeasured) {
  const Call call = call_of_bytes(Collective::scan, 8, 8);
  EXPECT_EQ(chosen(call).why, "cheapest under the machine model");
}

// Equal blocks were measured.
TEST(ChooseByProfile, LeavesToTheModelBlocksOfVeryDifferentSizes) {
  Profile profile = some_profile();
  profile.runs[0].points[Collective::allgatherv] = {point(8000, "native")};
  Call call{.collective = Collective::allgatherv, .p = 8, .layout = {}, .unit_bytes = 1};
  call.layout = Layout({1000, 900, 1100, 1000, 1000, 1000, 1000, 2000});
  EXPECT_EQ(chosen(call, profile).algorithm, nullptr);
  call.layout = Layout({100, 100, 100, 100, 100, 100, 100, 8300});
  EXPECT_NE(chosen(call, profile).algorithm, nullptr);
}

TEST(ChooseByProfile, LeavesToTheModelWhatTheFastestCannotServe) {
  Call call = call_of_bytes(Collective::allreduce, 9, 1 << 20);  // circulant
  call.commutative = false;
  const Choice choice = chosen(call);
  ASSERT_NE(choice.algorithm, nullptr);
  EXPECT_TRUE(accepts(*choice.algorithm, call));
  EXPECT_EQ(choice.why, "cheapest under the machine model");
}

TEST(ChooseByProfile, WhatIsForcedGoesBeforeIt) {
  const Selector selector(parse_forced("allreduce=circulant"), Policy::model, usual_machine(),
                          std::make_shared<Profile>(some_profile()));
  const Choice choice = selector.choose(call_of_bytes(Collective::allreduce, 8, 1 << 20));
  EXPECT_EQ(choice.algorithm->name, "circulant");
}

TEST(FullNames, AreParsedAsTheyAreWritten) {
  const Algorithm& tree = *find_algorithm(Collective::bcast, "two_tree");
  const Variant named = parse_variant(Collective::bcast, full_name(Variant{&tree, 16}));
  EXPECT_EQ(named.algorithm, &tree);
  EXPECT_EQ(named.parameter, 16);
  EXPECT_EQ(parse_variant(Collective::bcast, "binomial").parameter, 0);
  EXPECT_EQ(parse_variant(Collective::bcast, "native"), Variant());
  EXPECT_EQ(full_name(Variant()), "native");
}

}  // namespace
}  // namespace tutti
