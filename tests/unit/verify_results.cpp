// Hand-written broken schedules whose memory is wrong, each rejected with the right complaint.
#include <gmock/gmock.h>

#include "support.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

// Ordered allreduce of 4 elements between two ranks.
std::string reduced(const std::vector<Schedule>& schedules, bool commutative = false) {
  const Call call{.collective = Collective::allreduce,
                  .p = 2,
                  .layout = Layout(4, 2),
                  .commutative = commutative};
  return verify(call, InPlace::none, schedules);
}

const Slice own = in(0, 4), received = scratch(0, 4), result = out(0, 4);

Handwritten exchange(Rank peer) {
  return Handwritten(4).recv({received}, peer, 0).send({own}, peer, 0).wait_at_end({1});
}
Schedule rank_0() { return exchange(1).reduce(own, received, result, {0}); }
Schedule rank_1() { return exchange(0).reduce(received, own, result, {0}); }

TEST(VerifyResults, AcceptsARightReduction) {
  EXPECT_EQ(reduced({rank_0(), rank_1()}), "");
  EXPECT_EQ(reduced({rank_0(), rank_1()}, true), "");
}

TEST(VerifyResults, SwappedOperands) {
  const Schedule swapped = exchange(0).reduce(own, received, result, {0});
  EXPECT_THAT(reduced({rank_0(), swapped}),
              HasSubstr("rank 1: out[0, 4) should hold 0..1 at element 0, but begins with 1 op 0"));
  EXPECT_EQ(reduced({rank_0(), swapped}, true), "");
}

// As reduced(), of an operator that rounds.
std::string reduced_inexactly(const std::vector<Schedule>& schedules) {
  const Call call{
      .collective = Collective::allreduce, .p = 2, .layout = Layout(4, 2), .exact = false};
  return verify(call, InPlace::none, schedules);
}

TEST(VerifyResults, RanksThatCombineInAnotherOrder) {
  EXPECT_EQ(reduced_inexactly({rank_0(), rank_1()}), "");
  const Schedule swapped = exchange(0).reduce(own, received, result, {0});
  EXPECT_THAT(reduced_inexactly({rank_0(), swapped}),
              HasSubstr("rank 1: the result is combined in another order than rank 0's"));
}

TEST(VerifyResults, RanksThatCutElsewhere) {
  const Schedule halves = exchange(0)
                              .reduce(scratch(0, 2), in(0, 2), out(0, 2), {0})
                              .reduce(scratch(2, 2), in(2, 2), out(2, 2));
  EXPECT_THAT(reduced_inexactly({rank_0(), halves}),
              HasSubstr("rank 1: the result is combined in another order than rank 0's"));
  EXPECT_EQ(reduced({rank_0(), halves}), "");
}

TEST(VerifyResults, RanksThatBothHaveTheLowerOnTheRight) {
  const Schedule first = exchange(1).reduce(received, own, result, {0});
  const Schedule second = exchange(0).reduce(own, received, result, {0});
  EXPECT_THAT(reduced_inexactly({first, second}),
              HasSubstr("combines 1 with 0 in this order, as another rank does"));
}

TEST(VerifyResults, TheLowerOnTheRightAtOneRankAlone) {
  const Schedule first = Handwritten(4)
                             .recv({received}, 1, 0)
                             .reduce(received, own, result, {0})
                             .send({result}, 1, 1)
                             .wait_at_end({2});
  const Schedule second =
      Handwritten().send({own}, 0, 0).recv({result}, 0, 1, {0}).wait_at_end({1});
  EXPECT_EQ(reduced_inexactly({first, second}), "");
}

// Operands of an operator that must see all of each.
std::string reduced_whole(const std::vector<Schedule>& schedules) {
  const Call call{.collective = Collective::allreduce,
                  .p = 2,
                  .layout = Layout(4, 2),
                  .commutative = false,
                  .whole_operands = true};
  return verify(call, InPlace::none, schedules);
}

TEST(VerifyResults, ACutOperand) {
  EXPECT_EQ(reduced_whole({rank_0(), rank_1()}), "");
  const Schedule halves = exchange(1)
                              .reduce(in(0, 2), scratch(0, 2), out(0, 2), {0})
                              .reduce(in(2, 2), scratch(2, 2), out(2, 2));
  EXPECT_EQ(reduced({halves, rank_1()}), "");
  EXPECT_THAT(reduced_whole({halves, rank_1()}),
              HasSubstr("rank 0, step 2 (reduce): gives the operator part of an operand"));
}

// Rank 1 gets 2 and 1 elements for a reduce-scatter's blocks, and combines both at once.
TEST(VerifyResults, JoinedOperands) {
  const auto scatter = [](bool joined, bool whole) {
    const Call call{.collective = Collective::reduce_scatter,
                    .p = 2,
                    .layout = Layout(std::vector<Units>{2, 1}),
                    .whole_operands = whole};
    const Schedule first =
        Handwritten().send({in(0, 3)}, 1, 0).recv({out(0, 2)}, 1, 1, {0}).wait_at_end({1});
    Handwritten second(6);
    second.recv({scratch(0, 3)}, 0, 0);
    if (joined) {
      second.reduce(scratch(0, 3), in(0, 3), scratch(3, 3), {0});
    } else {
      second.reduce(scratch(0, 2), in(0, 2), scratch(3, 2), {0})
          .reduce(scratch(2, 1), in(2, 1), scratch(5, 1));
    }
    second.send({scratch(3, 2)}, 0, 1).copy(scratch(5, 1), out(0, 1));
    return verify(call, InPlace::none, {first, second.wait_at_end({joined ? 2u : 3u})});
  };
  EXPECT_EQ(scatter(true, false), "");
  EXPECT_EQ(scatter(false, false), "");
  EXPECT_EQ(scatter(false, true), "");
  EXPECT_THAT(scatter(true, true), HasSubstr("gives the operator part of an operand, or several"));
}

TEST(VerifyResults, AContributionTwice) {
  const Schedule twice = exchange(1).reduce(own, received, result, {0}).reduce(own, result, result);
  EXPECT_THAT(reduced({twice, rank_1()}, true),
              HasSubstr("rank 0, step 3 (reduce): combines 0 with 0..1: a rank twice"));
}

TEST(VerifyResults, AContributionMissing) {
  const Schedule forgetful = exchange(1).copy(own, result, {0});
  EXPECT_THAT(reduced({forgetful, rank_1()}),
              HasSubstr("rank 0: out[0, 4) should hold 0..1 at element 0, but begins with 0"));
}

TEST(VerifyResults, NoResult) {
  EXPECT_THAT(reduced({exchange(1).wait_at_end({0, 1}), rank_1()}),
              HasSubstr("but begins with something undefined"));
}

TEST(VerifyResults, HalfAResult) {
  const Schedule half = exchange(1).reduce(in(0, 3), scratch(0, 3), out(0, 3), {0});
  EXPECT_THAT(reduced({half, rank_1()}), HasSubstr("rank 0: out[0, 4) should hold 0..1"));
}

TEST(VerifyResults, ElementsMixedUp) {
  const Schedule shifted = exchange(1).reduce(in(0, 3), scratch(1, 3), out(0, 3), {0});
  EXPECT_THAT(reduced({shifted, rank_1()}), HasSubstr("combines different elements"));
}

TEST(VerifyResults, OperandsOfDifferentSizes) {
  const Schedule uneven = exchange(1).reduce(in(0, 4), scratch(0, 3), result, {0});
  EXPECT_THAT(reduced({uneven, rank_1()}),
              HasSubstr("rank 0, step 2 (reduce): operands differ in size"));
}

TEST(VerifyResults, UndefinedRead) {
  const Schedule early =
      Handwritten(4).recv({received}, 1, 0).send({result}, 1, 0).wait_at_end({0, 1});
  EXPECT_THAT(reduced({early, rank_1()}),
              HasSubstr("rank 0, step 1 (send): reads memory nothing was written to"));
}

TEST(VerifyResults, PartlyUndefinedRead) {
  const Schedule early = Handwritten(4)
                             .copy(in(0, 3), out(0, 3))
                             .recv({received}, 1, 0)
                             .send({result}, 1, 0)
                             .wait_at_end({1, 2});
  EXPECT_THAT(reduced({early, rank_1()}), HasSubstr("reads memory nothing was written to"));
}

TEST(VerifyResults, WriteToTheInput) {
  const Schedule copies = exchange(1).copy(received, own, {0});
  EXPECT_THAT(reduced({copies, rank_1()}), HasSubstr("rank 0, step 2 (copy): writes `in`"));
  const Schedule receives = Handwritten(4).recv({own}, 1, 0).wait_at_end({0});
  EXPECT_THAT(reduced({receives, rank_1()}), HasSubstr("rank 0, step 0 (recv): writes `in`"));
}

TEST(VerifyResults, OutOfBounds) {
  const auto complaint = [](const Slice& slice) {
    return reduced({Handwritten(4).send({slice}, 1, 0).wait_at_end({0}), rank_1()});
  };
  EXPECT_THAT(complaint(in(1, 4)), HasSubstr("[1, 5) is outside the 4 units of `in`"));
  EXPECT_THAT(complaint(out(-1, 4)), HasSubstr("[-1, 3) is outside the 4 units of `out`"));
  EXPECT_THAT(complaint(scratch(4, 4)), HasSubstr("[4, 8) is outside the 4 units of `scratch`"));
  EXPECT_THAT(complaint(in(2, -1)), HasSubstr("is outside the 4 units of `in`"));
}

// Exclusive scan of an element over two ranks: rank 0 has no result.
std::string scanned(const Schedule& first, InPlace in_place) {
  const Call call{.collective = Collective::exscan, .p = 2, .layout = Layout(1, 2)};
  const Schedule second =
      Handwritten(1).recv({scratch(0, 1)}, 0, 0).copy(scratch(0, 1), out(0, 1), {0});
  return verify(call, in_place, {first, second});
}

TEST(VerifyResults, MemoryThatIsNobodysResultIsLeftAlone) {
  const Schedule right = Handwritten().send({in(0, 1)}, 1, 0).wait_at_end({0});
  const Schedule writes =
      Handwritten().send({in(0, 1)}, 1, 0).copy(in(0, 1), out(0, 1)).wait_at_end({0});
  EXPECT_EQ(scanned(right, InPlace::none), "");
  EXPECT_THAT(scanned(writes, InPlace::none),
              HasSubstr("rank 0: out[0, 1) is no result, but was written"));
}

TEST(VerifyResults, InputInPlaceThatIsNoResultIsLeftAlone) {
  const Call call{
      .collective = Collective::reduce_scatter, .p = 1, .layout = Layout(std::vector<Units>{2})};
  EXPECT_EQ(verify(call, InPlace::all, {Schedule{}}), "");
  const Call two{
      .collective = Collective::reduce_scatter, .p = 2, .layout = Layout(std::vector<Units>{0, 0})};
  EXPECT_EQ(verify(two, InPlace::all, {Schedule{}, Schedule{}}), "");
  const auto scatter = [](const Schedule& first) {
    const Call uneven{.collective = Collective::reduce_scatter,
                      .p = 2,
                      .layout = Layout(std::vector<Units>{0, 2})};
    const Schedule second =
        Handwritten(2).recv({scratch(0, 2)}, 0, 0).reduce(scratch(0, 2), out(0, 2), out(0, 2), {0});
    return verify(uneven, InPlace::all, {first, second});
  };
  const Handwritten right = Handwritten().send({out(0, 2)}, 1, 0).wait_at_end({0});
  EXPECT_EQ(scatter(right), "");
  const Schedule spoils = Handwritten(right).copy(out(0, 1), out(1, 1), {0}).wait_at_end({});
  EXPECT_THAT(scatter(spoils), HasSubstr("rank 0: out[0, 2) is no result, but was written"));
}

TEST(VerifyAllowed, InPlaceAsTheStandardHasIt) {
  using enum Collective;
  for (const CollectiveInfo& each : collectives) {
    const bool none_only = each.collective == barrier || each.collective == bcast;
    const bool one_for_all = each.rooted || each.collective == alltoall ||
                             each.collective == alltoallv || each.collective == alltoallw;
    EXPECT_TRUE(allowed(each.collective, InPlace::none)) << each.name;
    EXPECT_EQ(allowed(each.collective, InPlace::all), !none_only) << each.name;
    EXPECT_EQ(allowed(each.collective, InPlace::odd_ranks), !none_only && !one_for_all)
        << each.name;
  }
}

// The root of an irregular gather or scatter knows all blocks, the others their own.
TEST(VerifyCalls, OfAnIrregularGatherKnowTheirOwnBlock) {
  const Layout blocks(std::vector<Units>{4, 0, 3});
  for (const Collective collective : {Collective::gatherv, Collective::scatterv}) {
    const Call call{.collective = collective, .p = 3, .root = 1, .layout = blocks};
    EXPECT_EQ(call_of_rank(call, InPlace::none, 1).n(), 7);
    const Call first = call_of_rank(call, InPlace::none, 0);
    EXPECT_EQ(first.layout.size(0), 4);
    EXPECT_EQ(first.n(), 4);
    const Call last = call_of_rank(call, InPlace::none, 2);
    EXPECT_EQ(last.layout.size(2), 3);
    EXPECT_EQ(last.n(), 3);
  }
  const Call all{.collective = Collective::allgatherv, .p = 3, .layout = blocks};
  EXPECT_EQ(call_of_rank(all, InPlace::none, 0).n(), 7);
}

TEST(VerifyCalls, OfAnIrregularExchangeKnowWhatTheySendAndGet) {
  const Call call{.collective = Collective::alltoallv,
                  .p = 2,
                  .layout = {},
                  .exchange = std::make_shared<Exchange>(2, std::vector<Units>{1, 2, 3, 4})};
  const Call second = call_of_rank(call, InPlace::none, 1);
  ASSERT_TRUE(second.sends.has_value());
  EXPECT_EQ(second.sends->size(0), 3);
  EXPECT_EQ(second.sends->total(), 7);
  EXPECT_EQ(second.layout.size(0), 2);
  EXPECT_EQ(second.n(), 6);
}

// Two ranks that send each other 1 and 2 units, and keep 1.
std::string exchanged(const Slice& from_first, const Slice& to_second) {
  const Call call{.collective = Collective::alltoallv,
                  .p = 2,
                  .layout = {},
                  .exchange = std::make_shared<Exchange>(2, std::vector<Units>{1, 1, 2, 1})};
  const Schedule first = Handwritten()
                             .copy(in(0, 1), out(0, 1))
                             .recv({out(1, 2)}, 1, 0)
                             .send({from_first}, 1, 0)
                             .wait_at_end({1, 2});
  const Schedule second = Handwritten()
                              .copy(in(2, 1), out(1, 1))
                              .recv({to_second}, 0, 0)
                              .send({in(0, 2)}, 0, 0)
                              .wait_at_end({1, 2});
  return verify(call, InPlace::none, {first, second});
}

TEST(VerifyResults, OfAnIrregularExchange) {
  EXPECT_EQ(exchanged(in(1, 1), out(0, 1)), "");
  EXPECT_THAT(exchanged(in(0, 1), out(0, 1)),
              HasSubstr("rank 1: out[0, 1) should hold 0 at element 1, but begins with 0"));
  EXPECT_THAT(exchanged(in(1, 1), out(1, 1)), HasSubstr("rank 1: out[0, 1) should hold 0"));
  EXPECT_THAT(exchanged(in(0, 2), out(0, 1)), HasSubstr("rank 0 sends 2 units to rank 1"));
}

TEST(VerifyAllowed, OnlyTheRootOfARootedCallIsInPlace) {
  const Call call{.collective = Collective::gather, .p = 3, .root = 1, .layout = Layout(3, 3)};
  EXPECT_FALSE(call_of_rank(call, InPlace::all, 0).in_place);
  EXPECT_TRUE(call_of_rank(call, InPlace::all, 1).in_place);
  const Call all{.collective = Collective::scan, .p = 3, .layout = Layout(3, 3)};
  EXPECT_TRUE(call_of_rank(all, InPlace::odd_ranks, 1).in_place);
  EXPECT_FALSE(call_of_rank(all, InPlace::odd_ranks, 2).in_place);
}

}  // namespace
}  // namespace tutti
