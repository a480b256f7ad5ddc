// Which algorithm serves a call: the paper's cut-offs, what the user forces, the model, native.
#include "select/select.hpp"

#include <gmock/gmock.h>

#include <array>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "model/simulate.hpp"
#include "support.hpp"

namespace tutti {
namespace {

using enum Collective;
using testing::HasSubstr;

constexpr Units KB = 1024;

Call call_of(Collective collective, int p, Units bytes, bool commutative = true) {
  return {.collective = collective,
          .p = p,
          .layout = Layout(bytes, p),
          .unit_bytes = 1,
          .commutative = commutative,
          .predefined = commutative};
}

struct Cutoff {
  Collective collective;
  int p;
  Units bytes;
  bool commutative;
  std::string_view algorithm;
};

// Thakur2005, sections 4 and 5.4: each rule on both sides of its cut-off.
const std::vector<Cutoff> cutoffs{
    {allgather, 8, 512 * KB - 1, true, "recursive_doubling"},
    {allgather, 8, 512 * KB, true, "ring"},
    {allgather, 6, 80 * KB - 1, true, "bruck"},
    {allgather, 6, 80 * KB, true, "ring"},
    {allgather, 8, 80 * KB, true, "recursive_doubling"},
    {bcast, 8, 12 * KB - 1, true, "binomial"},
    {bcast, 9, 12 * KB, true, "scatter_ring"},
    {bcast, 8, 12 * KB, true, "scatter_recursive_doubling"},
    {bcast, 8, 512 * KB - 1, true, "scatter_recursive_doubling"},
    {bcast, 8, 512 * KB, true, "scatter_ring"},
    {bcast, 7, 12 * KB, true, "binomial"},
    {bcast, 7, 12 * KB* KB, true, "binomial"},
    {alltoall, 4, 4 * 256, true, "bruck"},
    {alltoall, 4, 4 * 256 + 4, true, "isend_irecv"},
    {alltoall, 4, 4 * 32 * KB, true, "isend_irecv"},
    {alltoall, 4, 4 * 32 * KB + 4, true, "pairwise"},
    {reduce_scatter, 4, 512 * KB - 1, true, "recursive_halving"},
    {reduce_scatter, 4, 512 * KB, true, "pairwise"},
    {reduce_scatter, 4, 511, false, "recursive_doubling"},
    {reduce_scatter, 4, 512, false, "pairwise"},
    {reduce_scatter_block, 4, 512 * KB - 4, true, "recursive_halving"},
    {reduce_scatter_block, 4, 512 * KB, true, "pairwise"},
    {reduce_scatter_block, 4, 508, false, "recursive_doubling"},
    {reduce_scatter_block, 4, 512, false, "pairwise"},
    {reduce, 4, 2 * KB, true, "binomial"},
    {reduce, 4, 2 * KB + 1, true, "rabenseifner"},
    {allreduce, 4, 2 * KB, true, "recursive_doubling"},
    {allreduce, 4, 2 * KB + 1, true, "rabenseifner"},
    {allreduce, 4, 2 * KB, false, "recursive_doubling"},
    {allreduce, 4, 2 * KB + 1, false, "recursive_doubling"},
    {allreduce, 5, 32, true, "recursive_doubling"},
    {allreduce, 5, 33, true, "reduce_bcast"},
    {allreduce, 5, KB, true, "reduce_bcast"},
    {allreduce, 5, KB + 1, true, "recursive_doubling"},
    {allreduce, 5, 16 * KB - 1, true, "rabenseifner"},
    {allreduce, 5, 16 * KB, true, "ring"},
    {allreduce, 6, 16 * KB, true, "rabenseifner"},
    {allreduce, 36, 16 * KB - 1, true, "rabenseifner"},
    {allreduce, 36, 16 * KB, true, "binary_blocks"},
    {allreduce, 33, 32 * KB, true, "halving_doubling"},
    {allreduce, 33, 32 * KB + 1, true, "binary_blocks"},
    {allreduce, 32, 32 * KB, true, "rabenseifner"},
    {allgatherv, 6, 80 * KB, true, "ring"},
    {alltoallv, 4, 8, true, "isend_irecv"},
    {alltoallw, 4, 4 * 64 * KB, true, "isend_irecv"},
};

TEST(Rules, AtBothSidesOfEachCutoff) {
  for (const Cutoff& each : cutoffs) {
    const Rule rule = thakur2005(call_of(each.collective, each.p, each.bytes, each.commutative));
    EXPECT_EQ(rule.algorithm, each.algorithm)
        << to_string(each.collective) << " p=" << each.p << " bytes=" << each.bytes;
    EXPECT_THAT(std::string(rule.text), HasSubstr("Thakur2005 "));
  }
}

TEST(Rules, CountBytesNotElements) {
  Call call = call_of(reduce, 4, 256);
  call.unit_bytes = 8;
  EXPECT_EQ(thakur2005(call).algorithm, "binomial");
  call.layout = Layout(257, 4);
  EXPECT_EQ(thakur2005(call).algorithm, "rabenseifner");
}

TEST(Rules, BreakUpNoDataOfAUsersOperator) {
  Call call = call_of(reduce, 4, 640 * KB);
  EXPECT_EQ(thakur2005(call).algorithm, "rabenseifner");
  call.predefined = false;
  EXPECT_EQ(thakur2005(call).algorithm, "binomial");
  call.collective = allreduce;
  EXPECT_EQ(thakur2005(call).algorithm, "recursive_doubling");
}

TEST(Choose, LongOperandsThatStayWholeAreNative) {
  Call call = call_of(allreduce, 6, 10239);
  call.predefined = call.exact = false;
  call.whole_operands = true;
  const Choice shorter = Selector().choose(call);
  ASSERT_NE(shorter.algorithm, nullptr);
  EXPECT_FALSE(shorter.algorithm->requires_.divisible);
  call.layout = Layout(10240, 6);
  EXPECT_EQ(Selector().choose(call).algorithm, nullptr);
  EXPECT_THAT(Selector().choose(call).why, HasSubstr("operands"));
  call.whole_operands = false;
  EXPECT_NE(Selector().choose(call).algorithm, nullptr);
}

TEST(Choose, WhatIsForcedKeepsOperandsWhole) {
  Call call = call_of(allreduce, 6, 1 << 20);
  call.whole_operands = true;
  const Choice forced = Selector(parse_forced("allreduce=two_tree:7")).choose(call);
  EXPECT_EQ(forced.algorithm->name, "two_tree");
  EXPECT_EQ(forced.parameter, 1);
  EXPECT_EQ(Selector(parse_forced("allreduce=ring")).choose(call).algorithm, nullptr);
  call.whole_operands = false;
  EXPECT_EQ(Selector(parse_forced("allreduce=two_tree:7")).choose(call).parameter, 7);
}

TEST(UserOps, AreOfAnyLengthIfTheUserSaysSo) {
  EXPECT_FALSE(parse_user_ops(""));
  EXPECT_TRUE(parse_user_ops("any"));
  try {
    parse_user_ops("all");
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'all'"), HasSubstr("any"), HasSubstr("nothing")));
  }
}

TEST(Rules, SayNothingOfOtherCollectives) {
  for (const Collective collective : {barrier, gather, gatherv, scatter, scatterv, scan, exscan}) {
    EXPECT_EQ(thakur2005(call_of(collective, 8, 64)).algorithm, "") << to_string(collective);
  }
}

TEST(Choose, ThePapersPolicyFollowsItsRules) {
  const Selector selector({}, Policy::mpich2005);
  for (const Cutoff& each : cutoffs) {
    const Call call = call_of(each.collective, each.p, each.bytes, each.commutative);
    const Choice choice = selector.choose(call);
    EXPECT_EQ(choice.algorithm, find_algorithm(each.collective, each.algorithm))
        << to_string(each.collective) << " " << each.bytes;
    EXPECT_EQ(choice.why, thakur2005(call).text);
  }
}

// Radix 3 to 5 while latency counts, then about the root of p, as long as messages overlap.
TEST(Choose, TheRadixOfAShortAllToAllLetsMessagesOverlap) {
  const Selector selector({}, Policy::model);
  const auto chosen = [&](int p, Units block) {
    const Choice choice = selector.choose(call_of(alltoall, p, p * block));
    return std::pair(std::string(choice.algorithm->name), choice.parameter);
  };
  EXPECT_EQ(chosen(64, 1), std::pair(std::string("bruck_radix"), 4));
  EXPECT_EQ(chosen(64, 1024), std::pair(std::string("bruck_radix"), 8));
  EXPECT_EQ(chosen(64, 4096), std::pair(std::string("bruck_radix"), 32));
  EXPECT_EQ(chosen(100, 1), std::pair(std::string("bruck_radix"), 5));
  EXPECT_EQ(chosen(100, 1024), std::pair(std::string("bruck_radix"), 12));
  for (const Units block : {16384, 65536, 262144}) {
    EXPECT_EQ(chosen(64, block), std::pair(std::string("isend_irecv"), 63)) << block;
  }
}

TEST(Choose, TheModelsPolicyTakesTheCheapest) {
  const Selector selector({}, Policy::model, {.alpha = 1, .beta = 1e-3, .gamma = 3e-4});
  std::set<const Algorithm*> chosen;
  for (const CollectiveInfo& each : collectives) {
    if (!each.sizes_known()) continue;
    for (const Units bytes : {0, 600, 60000, 6000000}) {
      for (const int p : {6, 8, 33}) {
        const Call call = call_of(each.collective, p, bytes);
        const Choice choice = selector.choose(call);
        ASSERT_NE(choice.algorithm, nullptr) << each.name;
        chosen.insert(choice.algorithm);
        EXPECT_EQ(choice.why, "cheapest under the machine model");
        for (const Algorithm* other : algorithms_of(each.collective)) {
          if (!accepts(*other, call)) continue;
          EXPECT_LE(selector.predicted(*choice.algorithm, call),
                    1.01 * selector.predicted(*other, call));
        }
      }
    }
  }
  EXPECT_GT(chosen.size(), collectives.size()) << "always the same, whatever the call";
}

// Whatever the model says of it, unless the user or a profile do.
TEST(Choose, WaitsForReceiversOnlyWhereMessagesAreKnownToShareFairly) {
  const Algorithm& pair = *find_algorithm(Collective::bcast, "circulant_pair");
  const Call call = call_of_bytes(Collective::bcast, 16, 1 << 20);
  Machine machine = usual_machine();
  const auto profile = std::make_shared<Profile>(Profile{.runs = {{.p = 16}}});
  profile->runs[0].points[Collective::bcast] = {{call.bytes(), "circulant_pair:32"}};
  for (const double in_order : {-1.0, 0.0, 16384.0}) {
    machine.in_order = in_order;
    const Selector model({}, Policy::model, machine);
    EXPECT_EQ(model.choose(call).algorithm == &pair, in_order == 0) << in_order;
    const Selector forced(parse_forced("bcast=circulant_pair:32"), Policy::model, machine);
    EXPECT_EQ(forced.choose(call).algorithm, &pair) << in_order;
    EXPECT_EQ(Selector({}, Policy::model, machine, profile).choose(call).algorithm, &pair);
  }
}

TEST(Choose, TakesNoStrandsWhereRanksShareNodes) {
  const Machine machine = machine_by(1.5e-6, 0);
  Call call = call_of_bytes(Collective::bcast, 33, 1 << 20);
  const auto do_not_suit = [&] {
    std::vector<std::string> names;
    for (const Algorithm* each : algorithms_of(Collective::bcast)) {
      if (accepts(*each, call) && !suits(*each, call, machine)) names.emplace_back(each->name);
    }
    return names;
  };
  EXPECT_THAT(do_not_suit(), testing::IsEmpty());
  call.placement = placed_in_blocks(33, 16);
  EXPECT_THAT(do_not_suit(), testing::ElementsAre("two_tree_strands"));
  EXPECT_NE(Selector({}, Policy::model, machine).choose(call).algorithm->name, "two_tree_strands");
}

// Of scatters that take as long, the one that sends each byte once.
TEST(Choose, OfWhatIsAsGoodTheLeastTraffic) {
  const Call call = call_of_bytes(Collective::scatter, 13, 4 << 20);
  const Selector selector({}, Policy::model, machine_by(100e-6, 5e-11));
  const Choice choice = selector.choose(call);
  EXPECT_EQ(choice.algorithm->name, "linear");
  const Algorithm& binomial = *find_algorithm(Collective::scatter, "binomial");
  EXPECT_LT(selector.predicted(binomial, call), 1.01 * selector.predicted(*choice.algorithm, call));
}

// On a machine that no other test has: what is chosen has still to be simulated.
TEST(Choose, ServesThreadsAtOnce) {
  const auto choices = [](const Selector& selector) {
    std::vector<std::pair<const Algorithm*, int>> all;
    for (const CollectiveInfo& each : collectives) {
      for (const std::int64_t bytes : {8, 1 << 16}) {
        const Choice choice = selector.choose(call_of_bytes(each.collective, 9, bytes));
        all.emplace_back(choice.algorithm, choice.parameter);
      }
    }
    return all;
  };
  Machine machine = usual_machine();
  machine.alpha *= 1.0625;
  machine.overlap = machine.eager;
  const Selector selector({}, Policy::model, machine);
  std::array<decltype(choices(selector)), 4> of_threads;
  std::vector<std::thread> threads;
  for (auto& found : of_threads) threads.emplace_back([&] { found = choices(selector); });
  for (std::thread& each : threads) each.join();
  const auto alone = choices(Selector({}, Policy::model, machine));
  EXPECT_THAT(of_threads, testing::Each(alone));
}

TEST(Choose, SegmentsForABlockThatIsMostOfTheMessage) {
  const Selector selector;
  Call call = call_of(allgatherv, 16, 4096 * KB);
  EXPECT_NE(selector.choose(call).algorithm->name, "circulant_blocks");
  std::vector<Units> sizes(16, 1);
  sizes[3] = 4096 * KB;
  call.layout = Layout(sizes);
  const Choice choice = selector.choose(call);
  EXPECT_EQ(choice.algorithm->name, "circulant_blocks");
  EXPECT_GT(choice.parameter, 1);
}

// Ranks that know different sizes must still choose alike.
TEST(Choose, DependsOnNoSizeThatRanksDoNotShare) {
  for (const CollectiveInfo& each : collectives) {
    if (each.sizes_known()) continue;
    for (const Policy policy : {Policy::model, Policy::mpich2005}) {
      const Selector selector({}, policy);
      const Algorithm* first = selector.choose(call_of(each.collective, 6, 0)).algorithm;
      EXPECT_NE(first, nullptr) << each.name;
      for (const Units bytes : {6, 600, 60000000}) {
        EXPECT_EQ(selector.choose(call_of(each.collective, 6, bytes)).algorithm, first)
            << each.name;
      }
    }
  }
}

// Agreement pays on many ranks, and is not asked for where nothing depends on it.
TEST(Agreement, IsWantedWhereItPays) {
  const Selector selector;
  EXPECT_FALSE(selector.wants_agreement(alltoallv, 8));
  EXPECT_FALSE(selector.wants_agreement(alltoallv, 33));
  EXPECT_TRUE(selector.wants_agreement(alltoallv, 100));
  EXPECT_TRUE(selector.wants_agreement(alltoallw, 100));
  EXPECT_FALSE(selector.wants_agreement(alltoall, 100)) << "every rank knows all sizes";
  EXPECT_FALSE(Selector({}, Policy::mpich2005).wants_agreement(alltoallv, 100));
  EXPECT_TRUE(Selector(parse_forced("gatherv=tree")).wants_agreement(gatherv, 4));
  EXPECT_FALSE(Selector(parse_forced("alltoallv=pairwise")).wants_agreement(alltoallv, 100));
}

// With what ranks have told each other, short and long blocks are served differently, and alike on
// ranks that have more or less to do themselves.
TEST(Agreement, LetsTheChoiceDependOnSizes) {
  const Selector selector;
  const auto chosen = [&](Units mine, Units largest) {
    Call call = call_of(alltoallv, 100, mine);
    call.agreed = Agreed{.busiest = 100 * largest, .largest = largest};
    return selector.choose(call).algorithm->name;
  };
  for (const Units mine : {0, 100, 6000}) {
    EXPECT_EQ(chosen(mine, 64), "padded");
    EXPECT_EQ(chosen(mine, 64 * KB), "isend_irecv");
  }
  Call skewed = call_of(alltoallv, 100, 6400);
  skewed.agreed = Agreed{.busiest = 6400, .largest = 3200};
  EXPECT_EQ(selector.choose(skewed).algorithm->name, "two_phase");
}

TEST(Policies, HaveNames) {
  EXPECT_EQ(parse_policy(""), Policy::model);
  EXPECT_EQ(parse_policy("model"), Policy::model);
  EXPECT_EQ(parse_policy("mpich2005"), Policy::mpich2005);
  try {
    static_cast<void>(parse_policy("mpich"));
    FAIL() << "accepts any name";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("model, mpich2005"));
  }
}

TEST(Choose, IsNativeExactlyWhereNoAlgorithmAcceptsTheCall) {
  const Selector selector;
  for (const CollectiveInfo& each : collectives) {
    for (const bool commutative : {true, false}) {
      for (const Units bytes : {0, 64, 640000}) {
        const Call call = call_of(each.collective, 4, bytes, commutative);
        const bool served = std::ranges::any_of(
            algorithms_of(each.collective), [&](const Algorithm* a) { return accepts(*a, call); });
        EXPECT_EQ(selector.choose(call).algorithm != nullptr, served) << each.name;
      }
    }
  }
}

TEST(Choose, KeepsTheOrderOfAnOrderedReduction) {
  for (const CollectiveInfo& each : collectives) {
    if (!each.reduces) continue;
    const Choice choice = Selector().choose(call_of(each.collective, 4, 64, false));
    ASSERT_NE(choice.algorithm, nullptr) << each.name;
    EXPECT_FALSE(choice.algorithm->requires_.commutative) << each.name;
  }
}

TEST(Choose, AForcedAlgorithmWins) {
  for (const Algorithm* algorithm : algorithms()) {
    Forced forced{};
    forced[static_cast<std::size_t>(algorithm->collective)].algorithm = algorithm;
    const Selector selector(forced);
    for (const Units bytes : {0, 64, 6400000}) {
      Call call = call_of(algorithm->collective, 8, bytes);
      call.in_place = only_in_place(*algorithm);
      if (algorithm->requires_.agreement) call.agreed = Agreed{call.n(), call.layout.largest()};
      const Choice choice = selector.choose(call);
      EXPECT_EQ(choice.algorithm, algorithm) << full_name(*algorithm);
      EXPECT_EQ(choice.why, "forced by the user");
    }
  }
}

TEST(Choose, AForcedAlgorithmIsIgnoredWhereItCannotServe) {
  const Selector selector(parse_forced("allreduce=circulant"));
  EXPECT_EQ(selector.choose(call_of(allreduce, 4, 64)).algorithm->name, "circulant");
  const Choice choice = selector.choose(call_of(allreduce, 4, 64, false));
  ASSERT_NE(choice.algorithm, nullptr);
  EXPECT_NE(choice.algorithm->name, "circulant");
  EXPECT_NE(choice.why, "forced by the user");
}

TEST(Choose, ForcingOneCollectiveLeavesTheOthers) {
  const Selector forced(parse_forced("allreduce=circulant"));
  const Call call = call_of(bcast, 8, 64);
  EXPECT_EQ(forced.choose(call).algorithm, Selector().choose(call).algorithm);
}

TEST(ParseForced, TakesAListOfNames) {
  const Forced forced = parse_forced("allreduce=circulant,bcast=binomial");
  EXPECT_EQ(forced[static_cast<std::size_t>(allreduce)].algorithm,
            find_algorithm(allreduce, "circulant"));
  EXPECT_EQ(forced[static_cast<std::size_t>(bcast)].algorithm, find_algorithm(bcast, "binomial"));
  EXPECT_EQ(forced[static_cast<std::size_t>(scan)].algorithm, nullptr);
}

TEST(ParseForced, TakesEveryRegisteredName) {
  for (const Algorithm* each : algorithms()) {
    const std::string text =
        std::string(to_string(each->collective)) + "=" + std::string(each->name);
    EXPECT_EQ(parse_forced(text)[static_cast<std::size_t>(each->collective)].algorithm, each)
        << text;
  }
}

TEST(ParseForced, EmptyItemsAreNothing) {
  for (const char* text : {"", ",", ",,"}) {
    for (const Variant& each : parse_forced(text)) EXPECT_EQ(each.algorithm, nullptr);
  }
  EXPECT_NE(parse_forced("bcast=binomial,")[static_cast<std::size_t>(bcast)].algorithm, nullptr);
}

TEST(ParseForced, TheLastOfTwoCounts) {
  const Forced forced = parse_forced("allreduce=circulant,allreduce=recursive_doubling");
  EXPECT_EQ(forced[static_cast<std::size_t>(allreduce)].algorithm->name, "recursive_doubling");
}

TEST(ParseForced, TakesAParameterAfterAColon) {
  const Forced forced = parse_forced("bcast=two_tree:16,allreduce=circulant");
  EXPECT_EQ(forced[static_cast<std::size_t>(bcast)].parameter, 16);
  EXPECT_EQ(forced[static_cast<std::size_t>(allreduce)].parameter, 0);
  const Call call{.collective = bcast, .p = 9, .layout = Layout(1000, 9)};
  EXPECT_EQ(Selector(forced).choose(call).parameter, 16);
}

void expect_refused(const std::string& text, const std::string& what, const std::string& known) {
  try {
    static_cast<void>(parse_forced(text));
    ADD_FAILURE() << "accepted: " << text;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr(what)) << text;
    EXPECT_THAT(error.what(), HasSubstr(known)) << text;
  }
}

TEST(ParseForced, RefusesUnknownNamesAndListsTheKnown) {
  expect_refused("bcast=two_tree:0", "0", "1 or more");
  expect_refused("bcast=two_tree:many", "many", "segments");
  expect_refused("bcast=binomial:4", "binomial", "no parameter");
  expect_refused("allreduse=ring", "'allreduse' is no collective", known_collectives());
  expect_refused("allreduse", "'allreduse' is no collective", "alltoallw, reduce, allreduce");
  expect_refused("allreduce=rnig", "'rnig' is no algorithm for allreduce",
                 known_algorithms(allreduce));
  expect_refused("allreduce", "'' is no algorithm for allreduce", known_algorithms(allreduce));
  expect_refused("allreduce=", "'' is no algorithm for allreduce", known_algorithms(allreduce));
  expect_refused("bcast=binomial, allreduce=circulant", "' allreduce' is no collective", "barrier");
}

}  // namespace
}  // namespace tutti
