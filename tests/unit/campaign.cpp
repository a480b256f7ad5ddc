// The campaign: every algorithm is right and every mutant noticed; wrong algorithms are reported.
#include "verify/campaign.hpp"

#include <gmock/gmock.h>

#include <set>

#include "algorithms/tree_phases.hpp"
#include "support.hpp"
#include "verify/mutate.hpp"

namespace tutti {
namespace {

constexpr std::uint64_t seed = 1;

using CampaignOf = PerAlgorithm;

TEST_P(CampaignOf, FindsNoFailureAndNoSurvivor) {
  for (const int p : served(algorithm(), 1, as_far_as(9, 4))) {
    const Tally tally = verify_at(algorithm(), p, true, seed);
    EXPECT_GT(tally.cases, 0);
    EXPECT_EQ(tally.failures, std::vector<std::string>{});
    EXPECT_EQ(tally.survivors, std::vector<std::string>{}) << "p=" << p << " seed=" << seed;
    if (p > 1) {
      EXPECT_GT(tally.mutants, 0) << "p=" << p;
    }
  }
}

TEST_P(CampaignOf, ProvesManyRanksWithoutMutants) {
  const int p = served(algorithm(), 1, as_far_as(33, 6)).back();
  EXPECT_EQ(verify_at(algorithm(), p, false, seed).failures, std::vector<std::string>{});
}

TEST_P(CampaignOf, HasNoCaseWhereTheAlgorithmCannotServe) {
  for (int p = 1; p <= 9; ++p) {
    EXPECT_EQ(cases(algorithm(), p).empty(), !fits(algorithm(), p)) << "p=" << p;
  }
}

TUTTI_FOR_EVERY_ALGORITHM(CampaignOf);

const Algorithm& registered(Collective collective, std::string_view name) {
  const Algorithm* found = find_algorithm(collective, name);
  if (found == nullptr) throw std::runtime_error("no algorithm " + std::string(name));
  return *found;
}

// Algorithms that are wrong, each in one place.

void ring_without_its_last_round(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input(me), call.output_block(me));
  for (int k = 0; k < call.p - 2; ++k) {
    Round round = out.round();
    round.send(call.output_block(me - k), me + 1);
    round.recv(call.output_block(me - k - 1), me - 1);
  }
}

// Each rank combines what the next one has with its own, down to rank 0.
void chain(const Call& call, Rank me, ScheduleBuilder& out, bool swapped) {
  const Slice sum = out.scratch(call.n());
  out.copy(call.input(me), sum);
  for (Rank to = call.p - 2; to >= 0; --to) {
    Round round = out.round();
    if (me == to + 1) round.send(sum, to);
    if (me != to) continue;
    const Slice received = out.scratch(call.n());
    round.recv(received, to + 1);
    out.reduce(swapped ? received : sum, swapped ? sum : received, sum);
  }
  Round round = out.round();
  const Rank root = call.virtual_root();
  if (root == 0) {
    if (me == 0) out.copy(sum, call.output(0));
  } else {
    if (me == 0) round.send(sum, root);
    if (me == root) round.recv(call.output(root), 0);
  }
}

void right_chain(const Call& call, Rank me, ScheduleBuilder& out) { chain(call, me, out, false); }
void swapped_chain(const Call& call, Rank me, ScheduleBuilder& out) { chain(call, me, out, true); }

Algorithm made(Collective collective, void (*write)(const Call&, Rank, ScheduleBuilder&)) {
  return {.collective = collective,
          .name = "made_up",
          .summary = "for this test",
          .source = "none",
          .rounds = "p",
          .cost = "p",
          .write = write};
}

TEST(Campaign, ReportsARingThatStopsOneRoundEarly) {
  const Algorithm wrong = made(Collective::allgather, ring_without_its_last_round);
  EXPECT_EQ(verify_at(wrong, 1, false, seed).failures.size(), 0u);
  for (const int p : {2, 3, 7}) {
    const Tally tally = verify_at(wrong, p, false, seed);
    ASSERT_FALSE(tally.failures.empty()) << "p=" << p;
    EXPECT_THAT(tally.failures.front(), testing::HasSubstr("allgather made_up, p="));
    EXPECT_THAT(tally.failures.front(), testing::HasSubstr("should hold"));
  }
}

TEST(Campaign, ReportsSwappedOperandsOnlyWhereOrderMatters) {
  EXPECT_EQ(verify_at(made(Collective::reduce, right_chain), 5, true, seed).failures.size(), 0u);
  const Tally tally = verify_at(made(Collective::reduce, swapped_chain), 5, false, seed);
  ASSERT_FALSE(tally.failures.empty());
  for (const std::string& failure : tally.failures) {
    EXPECT_THAT(failure, testing::HasSubstr("non-commutative"));
  }
}

// Halves of the vector, one after the other.
void combines_halves(const Call& call, Rank me, ScheduleBuilder& out) {
  const Layout halves(call.n(), 2);
  for (Rank from = 1; from < call.p; ++from) {
    Round round = out.round();
    if (me == from) round.send(call.input(me), 0);
    if (me != 0) continue;
    const Slice received = out.scratch(call.n());
    round.recv(received, from);
    for (int i = 0; i < 2; ++i) {
      const auto half = [&](const Slice& whole) {
        return part(whole, halves.offset(i), halves.size(i));
      };
      out.reduce(half(from == 1 ? call.input(me) : call.output(me)), half(received),
                 half(call.output(me)));
    }
  }
  if (call.p == 1) out.copy(call.input(me), call.output(me));
  phase::bcast_tree(PostalTree(call.p, 2), call, me, out);
}

TEST(Campaign, ReportsAnAlgorithmThatCutsWithoutSayingSo) {
  Algorithm cuts = made(Collective::allreduce, combines_halves);
  const Tally tally = verify_at(cuts, 4, false, seed);
  ASSERT_FALSE(tally.failures.empty());
  for (const std::string& failure : tally.failures) {
    EXPECT_THAT(failure, testing::HasSubstr("whole operands"));
    EXPECT_THAT(failure, testing::HasSubstr("part of an operand"));
  }
  cuts.requires_.divisible = true;
  EXPECT_EQ(verify_at(cuts, 4, false, seed).failures, std::vector<std::string>{});
}

// Every rank gets all operands, and begins with its own.
void begins_with_its_own(const Call& call, Rank me, ScheduleBuilder& out) {
  std::vector<Slice> operands(static_cast<std::size_t>(call.p), call.input(me));
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    round.send(call.input(me), me + k);
    Slice& operand = operands[static_cast<std::size_t>(k)];
    operand = out.scratch(call.n());
    round.recv(operand, me - k);
  }
  const Slice sum = out.scratch(call.n());
  out.copy(operands[0], sum);
  for (int k = 1; k < call.p; ++k) out.reduce(operands[static_cast<std::size_t>(k)], sum, sum);
  out.copy(sum, call.output(me));
}

TEST(Campaign, ReportsRanksThatGetOtherBits) {
  Algorithm algorithm = made(Collective::allreduce, begins_with_its_own);
  algorithm.requires_.commutative = true;
  const Tally tally = verify_at(algorithm, 5, false, seed);
  ASSERT_FALSE(tally.failures.empty());
  algorithm.requires_.also.holds = [](const Call& call) { return call.exact; };
  EXPECT_EQ(verify_at(algorithm, 5, false, seed).failures, std::vector<std::string>{});
}

// Where every combination is made by several ranks, none may have its operands the other way round.
TEST(Campaign, ReportsOperandsSwappedOnOneRankOfACommutativeAllreduce) {
  for (const auto& [name, p] : {std::pair{"recursive_doubling", 8}, {"allgather_reduce", 5}}) {
    const Call call{
        .collective = Collective::allreduce, .p = p, .layout = Layout(7, p), .exact = false};
    std::vector<Schedule> schedules =
        build_all(registered(Collective::allreduce, name), call, InPlace::none);
    ASSERT_EQ(verify(call, InPlace::none, schedules), "");
    for (Schedule& mine : schedules) {
      for (const Step& step : mine.steps) {
        if (step.kind != Kind::reduce) continue;
        const auto swap = [&] {
          std::swap(mine.slices[step.slices], mine.slices[step.slices + 1]);
        };
        swap();
        EXPECT_THAT(verify(call, InPlace::none, schedules), testing::HasSubstr("order")) << name;
        Call exact = call;
        exact.exact = true;
        EXPECT_EQ(verify(exact, InPlace::none, schedules), "");
        swap();
      }
    }
  }
}

TEST(Campaign, IsDeterministicInTheSeed) {
  const Algorithm& algorithm = registered(Collective::allreduce, "recursive_doubling");
  const std::vector<Schedule> schedules =
      build_all(algorithm, cases(algorithm, 7).back().call, InPlace::none);
  const auto mutants = [&](std::uint64_t a_seed) {
    std::mt19937_64 random(a_seed);
    std::string text;
    for (int i = 0; i < 20; ++i) {
      for (const Mutation mutation : mutations) {
        const auto mutant = mutate(schedules, mutation, random);
        if (mutant) text += mutant->what + "\n" + to_string(mutant->schedule);
      }
    }
    return text;
  };
  EXPECT_EQ(mutants(7), mutants(7));
  EXPECT_NE(mutants(7), mutants(8));
}

TEST(Campaign, TalliesAreDeterministicInTheSeed) {
  const Algorithm& algorithm = registered(Collective::reduce, "binomial");
  const Tally first = verify_at(algorithm, 5, true, 3), second = verify_at(algorithm, 5, true, 3);
  EXPECT_EQ(first.cases, second.cases);
  EXPECT_EQ(first.mutants, second.mutants);
}

TEST(CampaignCases, TryEveryRootSizeAndPlaceTheStandardAllows) {
  const std::vector<Case> all = cases(registered(Collective::reduce, "binomial"), 5);
  EXPECT_EQ(all.size(), 6u * 5u * 2u * 2u * 2u);  // sizes, roots, commutative, whole, in place
  std::set<Rank> roots;
  std::set<Units> sizes;
  for (const Case& each : all) {
    roots.insert(each.call.root);
    sizes.insert(each.call.n());
  }
  EXPECT_EQ(roots, (std::set<Rank>{0, 1, 2, 3, 4}));
  EXPECT_EQ(sizes, (std::set<Units>{0, 1, 4, 5, 6, 97}));
}

TEST(CampaignCases, AskForNoOrderAnAlgorithmDoesNotKeep) {
  for (const Case& each : cases(registered(Collective::allreduce, "circulant"), 6)) {
    EXPECT_TRUE(each.call.commutative);
  }
}

TEST(CampaignCases, AskForNoWholeOperandsOfAnAlgorithmThatCutsThem) {
  const auto are_whole = [](const Case& each) { return each.call.whole_operands; };
  EXPECT_TRUE(std::ranges::none_of(cases(registered(Collective::reduce, "ring"), 6), are_whole));
  for (const char* name : {"binomial", "chain"}) {
    EXPECT_TRUE(std::ranges::any_of(cases(registered(Collective::reduce, name), 6), are_whole));
  }
}

TEST(CampaignCases, AskForTheSameBitsUnlessArithmeticIsExact) {
  for (const Algorithm* each : algorithms_of(Collective::allreduce)) {
    for (const Case& one : cases(*each, 4)) {
      EXPECT_EQ(one.call.exact, each->name == "census") << each->name;
    }
  }
}

TEST(CampaignCases, AreInPlaceOnlyWhereTheyHaveToBe) {
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv}) {
    const std::vector<Case> all = cases(registered(collective, "exchange_in_place"), 6);
    EXPECT_FALSE(all.empty());
    for (const Case& each : all) EXPECT_EQ(each.in_place, InPlace::all);
  }
}

bool is_uneven(const Layout& layout, int p) {
  for (int i = 1; i < p; ++i) {
    if (layout.size(i) != layout.size(0)) return true;
  }
  return false;
}

TEST(CampaignCases, HaveUnequalBlocksWhereTheStandardAllowsThem) {
  using enum Collective;
  constexpr int p = 7;
  for (const CollectiveInfo& each : collectives) {
    if (!each.owns_blocks || each.regular == alltoall) continue;
    const std::vector<Case> all = cases(*algorithms_of(each.collective).front(), p);
    EXPECT_EQ(std::ranges::any_of(all, [](const Case& a) { return is_uneven(a.call.layout, p); }),
              each.irregular())
        << each.name;
  }
}

// With MPI_IN_PLACE two ranks send each other the same amount; otherwise they need not.
TEST(CampaignCases, ExchangeUnequalBlocksWhereTheStandardAllowsThem) {
  using enum Collective;
  constexpr int p = 7;
  for (const Collective collective : {alltoallv, alltoallw}) {
    int lopsided[] = {0, 0, 0}, exchanges[] = {0, 0, 0};
    for (const Case& each : cases(registered(collective, "isend_irecv"), p)) {
      if (!each.call.exchange) continue;
      const auto in_place = static_cast<std::size_t>(each.in_place);
      ++exchanges[in_place];
      for (Rank a = 0; a < p; ++a) {
        for (Rank b = 0; b < a; ++b) {
          lopsided[in_place] += each.call.exchange->size(a, b) != each.call.exchange->size(b, a);
        }
      }
    }
    EXPECT_GE(exchanges[static_cast<std::size_t>(InPlace::none)], 2);
    EXPECT_GE(exchanges[static_cast<std::size_t>(InPlace::all)], 2);
    EXPECT_GT(lopsided[static_cast<std::size_t>(InPlace::none)], 0);
    EXPECT_EQ(lopsided[static_cast<std::size_t>(InPlace::all)], 0);
  }
  for (const Case& each : cases(registered(alltoall, "isend_irecv"), p)) {
    EXPECT_EQ(each.call.exchange, nullptr);
  }
}

// An algorithm for regular all-to-alls, whose ranks read their input as if it lay as the output.
void ignores_what_is_sent(const Call& call, Rank me, ScheduleBuilder& out) {
  out.copy(call.input_block(me), call.output_block(me));
  for (int k = 1; k < call.p; ++k) {
    Round round = out.round();
    Slice block = call.output_block(me + k);
    block.buffer = call.input_block(me + k).buffer;
    round.send(block, me + k);
    const Slice received = out.scratch(call.block_size(me - k));
    round.recv(received, me - k);
    out.copy(received, call.output_block(me - k));
  }
}

TEST(Campaign, ReportsAnAlgorithmForRegularExchangesOnly) {
  const Tally tally = verify_at(made(Collective::alltoallv, ignores_what_is_sent), 4, false, seed);
  ASSERT_FALSE(tally.failures.empty());
  EXPECT_LT(tally.failures.size(), static_cast<std::size_t>(tally.cases))
      << "it is right if blocks are equal";
}

// Gathers as if every rank knew the sizes of all blocks.
void needs_all_sizes(const Call& call, Rank me, ScheduleBuilder& out) {
  const Slice collected = out.scratch(call.n());
  const auto at = [&](Rank v) {
    return part(collected, call.layout.offset(v), call.block_size(v));
  };
  out.copy(call.input(me), at(me));
  for (Rank from = call.p - 1; from > 0; --from) {
    Round round = out.round();
    const Slices rest{part(collected, call.layout.offset(from), call.n() - at(from).offset)};
    if (me == from) round.send(rest, from - 1);
    if (me == from - 1) round.recv(rest, from);
  }
  if (call.has_output(me)) out.copy(collected, call.output(me));
}

TEST(Campaign, ReportsAGatherThatNeedsSizesItsRanksDoNotKnow) {
  const auto failures = [](Collective collective, Rank root) {
    const Algorithm gathers = made(collective, needs_all_sizes);
    std::vector<std::string> found;
    for (const Case& each : cases(gathers, 5)) {
      if (each.call.root != root || each.in_place != InPlace::none) continue;
      const std::string wrong =
          verify(each.call, each.in_place, build_all(gathers, each.call, each.in_place));
      if (!wrong.empty()) found.push_back(wrong);
    }
    return found;
  };
  EXPECT_EQ(failures(Collective::gather, 0), std::vector<std::string>{});
  EXPECT_THAT(failures(Collective::gatherv, 0), testing::Not(testing::IsEmpty()));
}

TEST(CampaignCases, AreDescribed) {
  const Case a_case{{.collective = Collective::reduce,
                     .p = 3,
                     .root = 2,
                     .layout = Layout(7, 3),
                     .commutative = false},
                    InPlace::all};
  EXPECT_EQ(to_string(a_case), "p=3, n=7, root=2, non-commutative, in place");
}

TEST(Mutate, ChangesOneStepOfOneRank) {
  const Algorithm& algorithm = registered(Collective::bcast, "binomial");
  const Call call{.collective = Collective::bcast, .p = 5, .layout = Layout(9, 5)};
  const std::vector<Schedule> schedules = build_all(algorithm, call, InPlace::none);
  std::mt19937_64 random(seed);
  for (const Mutation mutation : mutations) {
    const auto mutant = mutate(schedules, mutation, random);
    const bool reduces = mutation == Mutation::swap_operands || mutation == Mutation::another_order;
    ASSERT_EQ(mutant.has_value(), !reduces) << to_string(mutation);
    if (!mutant) continue;
    EXPECT_NE(to_string(mutant->schedule),
              to_string(schedules[static_cast<std::size_t>(mutant->rank)]));
    EXPECT_THAT(mutant->what, testing::HasSubstr(to_string(mutation)));
  }
}

std::vector<Schedule> of_short_allreduce(const Call& call) {
  return build_all(registered(Collective::allreduce, "allgather_reduce"), call, InPlace::none);
}

// Where all ranks combine everything, each reduction may be damaged on one rank: all are refused,
// unless arithmetic is exact.
TEST(Mutate, WhatOneRankCombinesOtherwiseIsRefused) {
  std::mt19937_64 random(seed);
  for (const bool commutative : {true, false}) {
    for (const bool whole : {true, false}) {
      Call call{.collective = Collective::allreduce,
                .p = 7,
                .layout = Layout(7, 7),
                .commutative = commutative,
                .exact = false,
                .whole_operands = whole};
      const std::vector<Schedule> right = of_short_allreduce(call);
      const auto alike = reductions_of_several(call, InPlace::none, right);
      EXPECT_EQ(alike.size(), static_cast<std::size_t>(std::ranges::count_if(
                                  right.front().steps,
                                  [](const Step& step) { return step.kind == Kind::reduce; })) *
                                  right.size());
      for (const Mutation mutation : {Mutation::swap_operands, Mutation::another_order}) {
        for (int i = 0; i < 20; ++i) {
          const auto mutant = mutate(right, mutation, random, &alike);
          // By halves, what is combined next is shorter.
          const bool by_halves = commutative && !whole;
          ASSERT_EQ(mutant.has_value(), mutation == Mutation::swap_operands || !by_halves);
          if (!mutant) break;
          std::vector<Schedule> damaged = right;
          damaged[static_cast<std::size_t>(mutant->rank)] = mutant->schedule;
          call.exact = false;
          EXPECT_NE(verify(call, InPlace::none, damaged), "") << mutant->what;
          call.exact = true;
          if (commutative && mutation == Mutation::swap_operands) {
            EXPECT_EQ(verify(call, InPlace::none, damaged), "") << mutant->what;
          }
        }
      }
    }
  }
}

// The same product in another order: only the bits say that it is wrong.
TEST(Mutate, AnotherOrderKeepsTheOrderOfOperandsWhereItCan) {
  Call call{.collective = Collective::allreduce,
            .p = 3,
            .layout = Layout(7, 3),
            .commutative = false,
            .exact = false};
  std::vector<Schedule> schedules = of_short_allreduce(call);
  std::mt19937_64 random(seed);
  const auto mutant = mutate(schedules, Mutation::another_order, random);
  ASSERT_TRUE(mutant);
  schedules[static_cast<std::size_t>(mutant->rank)] = mutant->schedule;
  EXPECT_THAT(verify(call, InPlace::none, schedules), testing::HasSubstr("another order"));
  call.exact = true;
  EXPECT_EQ(verify(call, InPlace::none, schedules), "");
}

// What one rank combines for all may be combined in any order.
TEST(Mutate, OneRankMayCombineForAllAsItLikes) {
  const Call call{
      .collective = Collective::allreduce, .p = 6, .layout = Layout(12, 6), .exact = false};
  for (const char* name : {"reduce_bcast", "circulant", "two_rings"}) {
    const auto schedules = build_all(registered(Collective::allreduce, name), call, InPlace::none);
    EXPECT_TRUE(reductions_of_several(call, InPlace::none, schedules).empty()) << name;
  }
  EXPECT_FALSE(reductions_of_several(call, InPlace::none, of_short_allreduce(call)).empty());
}

TEST(Mutate, HasNothingToDamageInEmptySchedules) {
  std::mt19937_64 random(seed);
  for (const Mutation mutation : mutations) {
    EXPECT_FALSE(mutate({Schedule{}, Schedule{}}, mutation, random));
  }
}

}  // namespace
}  // namespace tutti
