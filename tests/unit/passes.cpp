// Passes: what each makes of a schedule, and that all of them keep what algorithms promise.
#include <gmock/gmock.h>

#include "algorithms/registry.hpp"
#include "built.hpp"
#include "passes/lowering.hpp"
#include "passes/pairs.hpp"
#include "passes/publications.hpp"
#include "verify/campaign.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

TEST(Publications, AreSendsOfTheSamePlacesThatNothingWritesBetween) {
  Builder builder;
  Round round = builder.round();
  round.send(a, 1);
  round.recv(b, 2);
  round.send(a, 2);
  round.send(a, 3);
  builder.round().send(c, 1);
  builder.copy(b, a);
  Round next = builder.round();
  next.send(c, 2);
  next.send(a, 1);
  builder.copy(c, a);
  builder.round().send(a, 2);
  const Schedule schedule = builder.done();
  ASSERT_EQ(order_of(schedule),
            "recv 2, send 1, send 2, send 3, send 1, copy, send 2, send 1, copy, send 2");
  EXPECT_THAT(publications(schedule), testing::ElementsAre(0, 2, 2, 2, 5, 0, 5, 0, 0, 0));
}

TEST(HoistedReceives, GoAheadOfTheSendOfTheirRound) {
  Builder builder;
  Round round = builder.round();
  round.send(a, 1);
  round.recv(b, 2);
  EXPECT_EQ(order_of(builder.done()), "recv 2, send 1");
}

TEST(HoistedReceives, GoAheadOneRoundOnly) {
  Builder builder;
  builder.round().send(a, 1);
  builder.round().send(a, 2);
  builder.round().recv(b, 3);
  EXPECT_EQ(order_of(builder.done()), "send 1, recv 3, send 2");
}

TEST(HoistedReceives, StayBehindAStepThatReadsTheirMemory) {
  Builder builder;
  builder.round();
  builder.copy(b, c);
  builder.round().recv(b, 2);
  EXPECT_EQ(order_of(builder.done()), "copy, recv 2");
}

TEST(HoistedReceives, StayBehindAStepThatWritesTheirMemory) {
  Builder builder;
  builder.round();
  builder.reduce(a, b, c);
  builder.round().recv(c, 2);
  EXPECT_EQ(order_of(builder.done()), "reduce, recv 2");
}

TEST(HoistedReceives, PassLocalStepsOfOtherMemory) {
  Builder builder;
  builder.round();
  builder.copy(a, b);
  builder.round().recv(c, 2);
  EXPECT_EQ(order_of(builder.done()), "recv 2, copy");
}

TEST(HoistedReceives, GoAheadOfALocalStepAndWaitInItsPlace) {
  Builder builder;
  Round round = builder.round();
  round.send(out(0, 8), 1);
  builder.copy(out(8, 4), out(0, 4));  // waits for the send, which also reads the other half
  round.recv(out(4, 4), 2);
  const Schedule schedule = builder.done();
  EXPECT_EQ(order_of(schedule), "send 1, recv 2, copy");
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
  EXPECT_EQ(waits_of(schedule, 2), Numbers{});
}

TEST(HoistedReceives, ThatWaitStillGoAheadOfTheSendOfTheirRound) {
  Builder builder;
  builder.round().send(a, 1);
  Round round = builder.round();
  round.send(b, 2);
  round.recv(a, 3);
  const Schedule schedule = builder.done();
  EXPECT_EQ(order_of(schedule), "send 1, recv 3, send 2");
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
}

TEST(HoistedReceives, IntoWhatTheirRoundSendsComeAfter) {
  Builder builder;
  Round round = builder.round();
  round.send(a, 1);
  round.recv(a, 1);
  const Schedule schedule = builder.done();
  EXPECT_EQ(order_of(schedule), "send 1, recv 1");
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
}

TEST(HoistedReceives, AloneAreMoved) {
  Builder builder;
  builder.round().send(a, 1);
  builder.copy(a, b);
  builder.round().recv(scratch(0, 8), 2);
  builder.round().send(b, 3);
  builder.copy(in(0, 8), c);
  builder.round().send(c, 2);
  std::string stay;
  for (const Step& step : builder.done().steps) {
    if (step.kind != Kind::recv) stay += std::string(to_string(step.kind)) + " ";
  }
  EXPECT_EQ(stay, "send copy send copy send ");
}

TEST(HoistedReceives, FollowThoseOfEarlierRoundsWhereTheyGoInTurn) {
  ScheduleBuilder builder(4, 0);
  builder.pace(Pace::in_turn);
  builder.round().recv(a, 1);
  Round round = builder.round();
  round.send(a, 2);
  round.recv(b, 3);
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  EXPECT_EQ(order_of(schedule), "recv 1, recv 3, send 2");
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0}) << "in place of the send, though b is free";
  EXPECT_EQ(waits_of(schedule, 2), Numbers{});
}

TEST(HoistedReceives, GoAheadOfWholeExchangesOnly) {
  Builder builder;
  Round round = builder.round();
  round.send(a, 1);
  round.recv(b, 1);
  builder.round().recv(a, 2);  // into what is sent
  builder.round().recv(c, 3);
  const auto all_long = [](Rank, Units) { return true; };
  const Schedule schedule = hoist_receives(order_exchanges(std::move(builder).finish(), all_long));
  EXPECT_EQ(order_of(schedule), "send 1 & recv 1, recv 3, recv 2");
}

// A send to rank 2 in the second round, and a receive from `from`; one send at a time.
Schedule ordered(Units long_from, Rank from) {
  ScheduleBuilder builder(4, 0);
  builder.round().send(a, 1);
  Round round = builder.round();
  round.send(b, 2);
  round.recv(c, from);
  const auto is_long = [&](Rank, Units units) { return units >= long_from; };
  return hoist_receives(order_exchanges(std::move(builder).finish(), is_long));
}

TEST(OrderedExchanges, HaveTheReceiveBehindTheSendWhichWaitsForBoth) {
  const Schedule schedule = ordered(8, 2);
  EXPECT_EQ(order_of(schedule), "send 1, send 2 & recv 2");
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
  EXPECT_EQ(waits_of(schedule, 2), Numbers{});
}

TEST(OrderedExchanges, AreOfLongMessagesToAndFromOneRank) {
  EXPECT_EQ(order_of(ordered(9, 2)), "recv 2, send 1, send 2") << "short";
  EXPECT_EQ(order_of(ordered(8, 3)), "recv 3, send 1, send 2") << "of two ranks";
}

// Rank 0's joined sends of an allreduce with whoever it receives from, of all its receives.
std::pair<int, int> joined(const char* algorithm, int p, Units units) {
  const Call call{.collective = Collective::allreduce, .p = p, .layout = Layout(units, p)};
  const Schedule schedule = build(*find_algorithm(Collective::allreduce, algorithm), call, 0);
  int joined = 0, receives = 0;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    receives += step.kind == Kind::recv;
    joined += step.joined;
    if (step.joined) {
      EXPECT_EQ(schedule.steps[i + 1].peer, step.peer);
    }
  }
  return {joined, receives};
}

TEST(OrderedExchanges, OfSomeAlgorithms) {
  EXPECT_EQ(joined("recursive_doubling", 8, long_message), std::pair(3, 3));
  EXPECT_EQ(joined("recursive_doubling", 8, long_message - 1), std::pair(0, 3));
  EXPECT_EQ(joined("halving_doubling", 4, 2 * long_message), std::pair(2, 4))
      << "a half, then quarters, then a half";
  EXPECT_EQ(joined("ring", 8, 100 * long_message), std::pair(1, 14))
      << "two partners, but for p/2 away";
  EXPECT_EQ(joined("ring", 2, 2 * long_message), std::pair(2, 2)) << "one";
}

TEST(OrderedExchanges, AreNoneWhereTheReceiveNeedsTheSend) {
  Builder builder;
  Round round = builder.round();
  round.send(a, 1);
  round.recv(a, 1);
  const auto all_long = [](Rank, Units) { return true; };
  EXPECT_EQ(order_of(order_exchanges(std::move(builder).finish(), all_long)), "send 1, recv 1");
}

// Rank 0 receives from 1, sends to 2, and does what `then` writes.
template <class Then>
std::string paired(Units short_to, Then then) {
  Builder builder;
  Round round = builder.round();
  round.send(a, 2);
  round.recv(b, 1);
  then(builder);
  return order_of(pair_exchanges(builder.done(), short_to));
}

TEST(PairedExchanges, AreAShortReceiveAndTheSendAfterIt) {
  const auto nothing = [](Builder&) {};
  EXPECT_EQ(paired(8, nothing), "recv 1 & send 2");
  EXPECT_EQ(paired(7, nothing), "recv 1, send 2") << "long";
}

TEST(PairedExchanges, EndBeforeAnybodyCanTell) {
  EXPECT_EQ(paired(8, [](Builder& out) { out.reduce(b, c, c); }), "recv 1 & send 2, reduce");
  EXPECT_EQ(paired(8, [](Builder& out) { out.round().send(c, 3); }), "recv 1, send 2, send 3")
      << "rank 1 may wait for what goes to 3";
  EXPECT_EQ(paired(8, [](Builder& out) { out.round().send(b, 3); }), "recv 1 & send 2, send 3")
      << "which waits for the receive";
}

TEST(PairedExchanges, LeaveLongOnesAsTheyAre) {
  const auto all_long = [](Rank, Units) { return true; };
  Builder builder;
  for (const Rank peer : {1, 2}) {
    Round round = builder.round();
    round.send(a, peer);
    round.recv(peer == 1 ? b : c, peer);
  }
  const Schedule ordered = hoist_receives(order_exchanges(std::move(builder).finish(), all_long));
  EXPECT_EQ(order_of(pair_exchanges(ordered, 8)), "send 1 & recv 1, send 2 & recv 2");
}

TEST(LoweredSchedules, CutNoMessageOfALongExchange) {
  const Call call{.collective = Collective::allreduce, .p = 2, .layout = Layout(64, 2)};
  const Algorithm& algorithm = *find_algorithm(Collective::allreduce, "recursive_doubling");
  const auto with = [&](int fragments) {
    return order_of(build(algorithm, call, 0,
                          {.long_bytes = 8, .fragments = [=](Rank, Units) { return fragments; }}));
  };
  EXPECT_THAT(with(1), testing::HasSubstr("send 1 & recv 1"));
  EXPECT_THAT(with(2), testing::HasSubstr("recv 1, recv 1, send 1, send 1"));
}

// A rank that adds what comes from 1 and 2, in turn, to what it has.
Schedule sum_of_two(ScheduleBuilder builder, Slice landing) {
  for (const Rank peer : {1, 2}) {
    builder.round().recv(landing, peer);
    builder.reduce(a, landing, a);
  }
  return std::move(builder).finish();
}

const auto all_readable = [](Rank) { return true; };

TEST(ReductionsAsReceived, NeedNoLanding) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(8);
  const Schedule sum = reduce_as_received(sum_of_two(builder, landing), all_readable);
  EXPECT_EQ(order_of(sum), "recv_reduce 1, recv_reduce 2");
  EXPECT_EQ(sum.scratch, 0);
  EXPECT_EQ(sum.rounds, 2);
}

TEST(ReductionsAsReceived, OnlyFromThoseWhoseMessagesCanBeRead) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(8);
  const Schedule sum =
      reduce_as_received(sum_of_two(builder, landing), [](Rank peer) { return peer == 2; });
  EXPECT_EQ(order_of(sum), "recv 1, reduce, recv_reduce 2");
  EXPECT_EQ(waits_of(sum, 1), Numbers{0});
  EXPECT_EQ(sum.scratch, 8);
}

TEST(ReductionsAsReceived, NotWhereWhatComesIsReadAgain) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(8);
  builder.round().recv(landing, 1);
  builder.reduce(a, landing, a);
  builder.round().send(landing, 2);
  EXPECT_EQ(order_of(reduce_as_received(std::move(builder).finish(), all_readable)),
            "recv 1, reduce, send 2");
}

TEST(ReductionsAsReceived, NotWhereThePlaceIsAResult) {
  EXPECT_EQ(order_of(reduce_as_received(sum_of_two(ScheduleBuilder(4, 0), b), all_readable)),
            "recv 1, reduce, recv 2, reduce");
}

TEST(ReductionsAsReceived, WhereTheResultReplacesWhatCame) {
  ScheduleBuilder builder(4, 0);
  builder.round().recv(b, 1);
  builder.reduce(a, b, b);
  const Schedule sum = reduce_as_received(std::move(builder).finish(), all_readable);
  EXPECT_EQ(order_of(sum), "recv_reduce 1");
  EXPECT_EQ(slices_of(sum, 0), (Slices{a, {Buffer::message, 0, 8}, b}));
}

TEST(ReductionsAsReceived, NotBehindAStepThatWaits) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(8);
  Round round = builder.round();
  round.send(a, 1);
  round.recv(landing, 1);
  builder.reduce(a, landing, a);  // has to wait until `a` is sent
  EXPECT_EQ(order_of(reduce_as_received(std::move(builder).finish(), all_readable)),
            "send 1, recv 1, reduce");
}

// Else ranks in a ring, of which each waits until its message of the first round is combined, would
// wait for each other.
TEST(ReductionsAsReceived, NotBehindAWaitForItsOwnRound) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(16);
  std::vector<Round> rounds{builder.round(), builder.round()};
  for (Round& round : rounds) round.send(b, 1);  // the second when the first is over
  for (Units i = 0; i < 2; ++i) {
    rounds[i].recv(part(landing, 8 * i, 8), 3);
    builder.reduce(a, part(landing, 8 * i, 8), a);
  }
  EXPECT_EQ(order_of(reduce_as_received(std::move(builder).finish(), all_readable)),
            "send 1, send 1, recv 3, reduce, recv_reduce 3");
}

TEST(ReductionsAsReceived, NotIfAnotherFromThereIsReceivedBetween) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(8);
  builder.round().recv(landing, 1);
  builder.round().recv(b, 1);
  builder.reduce(a, landing, a);
  EXPECT_EQ(order_of(reduce_as_received(std::move(builder).finish(), all_readable)),
            "recv 1, recv 1, reduce");
}

// What a receive waited for, a step may have waited for before the one it is joined to.
TEST(ReductionsAsReceived, WaitForNothingTwice) {
  const Algorithm& algorithm = *find_algorithm(Collective::allreduce, "dual_root");
  const Call call{
      .collective = Collective::allreduce, .p = 3, .layout = Layout(40, 3), .parameter = 2};
  for (Rank rank = 0; rank < 3; ++rank) {
    const Schedule schedule = build(algorithm, call, rank, {.readable = all_readable});
    Numbers waited = schedule.waits;
    waited.insert(waited.end(), schedule.last_waits.begin(), schedule.last_waits.end());
    std::ranges::sort(waited);
    EXPECT_EQ(std::ranges::adjacent_find(waited), waited.end());
  }
}

TEST(ReductionsAsReceived, NotOfAPart) {
  ScheduleBuilder builder(4, 0);
  const Slice landing = builder.scratch(8);
  builder.round().recv(landing, 1);
  builder.reduce(part(a, 0, 4), part(landing, 0, 4), part(a, 0, 4));
  builder.reduce(part(a, 4, 4), part(landing, 4, 4), part(a, 4, 4));
  EXPECT_EQ(order_of(reduce_as_received(std::move(builder).finish(), all_readable)),
            "recv 1, reduce, reduce");
}

TEST(Slots, AreReusedWhenTheirMessageIsDone) {
  Builder builder;
  for (int k = 0; k < 5; ++k) {
    builder.round().recv(a, 1);
    builder.copy(a, b);
  }
  const Schedule schedule = builder.done();
  EXPECT_EQ(schedule.slots, 1);
  for (const Step& step : schedule.steps) EXPECT_EQ(step.slot, step.is_message() ? 0 : -1);
}

TEST(Slots, OneForEachMessageUnderWay) {
  Builder builder;
  for (int k = 0; k < 5; ++k) builder.round().send(a, 1);
  EXPECT_EQ(builder.done().slots, 5);
}

using PassesOver = PerAlgorithm;

// However messages are carried. (All short in pairs, all long, all readable: `tutti verify`.)
std::vector<Carriage> carriages_of(Rank rank) {
  const auto in_two = [](Rank, Units units) { return units > 2 ? 2 : 1; };
  const auto on_same_node = [=](Rank peer) { return peer / 2 == rank / 2; };
  return {{.long_bytes = 3, .short_bytes = 2},
          {.long_bytes = 0, .fragments = in_two},
          {.short_bytes = 1024, .fragments = in_two},
          {.long_bytes = 3, .fragments = in_two, .readable = on_same_node}};
}

TEST_P(PassesOver, AllSchedulesKeepWhatIsPromised) {
  const std::size_t carriages = carriages_of(0).size();
  for (int p = 1; p <= 24; ++p) {
    if (!fits(algorithm(), p)) continue;
    const std::vector<Case> all = cases(algorithm(), p);
    for (std::size_t i = 0; i < carriages; ++i) {
      const Case& some = all[all.size() * (i + 1) / (carriages + 1)];
      std::vector<Schedule> schedules;
      for (Rank rank = 0; rank < p; ++rank) {
        schedules.push_back(build(algorithm(),
                                  informed(algorithm(), some.call, some.in_place, rank), rank,
                                  carriages_of(rank)[i]));
      }
      EXPECT_EQ(verify(some.call, some.in_place, schedules), "")
          << to_string(some) << ", carriage " << i;
    }
  }
}

TUTTI_FOR_EVERY_ALGORITHM(PassesOver);

}  // namespace
}  // namespace tutti
