// Which messages a step waits for: exactly those whose memory it needs.
#include <optional>
#include <set>

#include "built.hpp"

namespace tutti {
namespace {

TEST(BuilderWaits, ReadAfterWriteSend) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.round().send(a, 2);
  const Schedule schedule = builder.done();
  ASSERT_EQ(schedule.steps.size(), 2u);
  EXPECT_EQ(waits_of(schedule, 0), Numbers{});
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
  EXPECT_EQ(schedule.last_waits, Numbers{1});
}

TEST(BuilderWaits, ReadAfterWriteCopy) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.copy(a, b);
  const Schedule schedule = builder.done();
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
  EXPECT_EQ(schedule.last_waits, Numbers{});
}

TEST(BuilderWaits, ReadAfterWriteReduceOfEitherOperand) {
  for (const bool left : {true, false}) {
    Builder builder;
    builder.round().recv(a, 1);
    builder.reduce(left ? a : b, left ? b : a, c);
    EXPECT_EQ(waits_of(builder.done(), 1), Numbers{0}) << (left ? "left" : "right");
  }
}

TEST(BuilderWaits, WriteAfterReadCopy) {
  Builder builder;
  builder.round().send(a, 1);
  builder.copy(b, a);
  EXPECT_EQ(waits_of(builder.done(), 1), Numbers{0});
}

TEST(BuilderWaits, WriteAfterReadReceive) {
  Builder builder;
  builder.round().send(a, 1);
  builder.round().recv(a, 2);
  const Schedule schedule = builder.done();
  EXPECT_EQ(schedule.steps[1].kind, Kind::recv);
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
  EXPECT_EQ(schedule.last_waits, Numbers{1});
}

TEST(BuilderWaits, WriteAfterWriteReceive) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.round().recv(a, 2);
  const Schedule schedule = builder.done();
  EXPECT_EQ(schedule.steps[0].peer, 1);
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
}

TEST(BuilderWaits, WriteAfterWriteLocalStep) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.reduce(b, c, a);
  EXPECT_EQ(waits_of(builder.done(), 1), Numbers{0});
}

TEST(BuilderWaits, OneUnitOfOverlapIsEnough) {
  Builder builder;
  builder.round().recv(out(0, 8), 1);
  builder.round().send(out(7, 8), 2);
  EXPECT_EQ(waits_of(builder.done(), 1), Numbers{0});
}

TEST(BuilderWaits, AnyPieceOfAMessageCounts) {
  Builder builder;
  builder.round().recv({out(0, 2), out(20, 2)}, 1);
  builder.round().send({out(4, 2), out(21, 1)}, 2);
  EXPECT_EQ(waits_of(builder.done(), 1), Numbers{0});
}

TEST(BuilderWaits, ReadersDoNotWaitForReaders) {
  Builder builder;
  builder.round().send(a, 1);
  builder.round().send(a, 2);
  builder.copy(a, b);
  builder.reduce(a, b, c);
  const Schedule schedule = builder.done();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(waits_of(schedule, i), Numbers{}) << "step " << i;
  EXPECT_EQ(schedule.last_waits, (Numbers{0, 1}));
}

TEST(BuilderWaits, DisjointSlicesDoNotWait) {
  Builder builder;
  builder.round().recv(out(0, 8), 1);
  builder.round().send(out(8, 8), 2);     // the neighbour
  builder.round().send(in(0, 8), 3);      // same place, other buffer
  builder.copy(in(0, 4), scratch(0, 4));  // a third buffer
  const Schedule schedule = builder.done();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(waits_of(schedule, i), Numbers{}) << "step " << i;
}

TEST(BuilderWaits, LocalStepsAreNeverWaitedFor) {
  Builder builder;
  builder.copy(a, b);
  builder.reduce(a, b, b);
  builder.round().send(b, 1);
  const Schedule schedule = builder.done();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(waits_of(schedule, i), Numbers{}) << "step " << i;
}

TEST(BuilderWaits, AMessageIsWaitedForOnce) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.copy(a, b);
  builder.copy(a, c);
  const Schedule schedule = builder.done();
  EXPECT_EQ(waits_of(schedule, 1), Numbers{0});
  EXPECT_EQ(waits_of(schedule, 2), Numbers{});
}

TEST(BuilderWaits, OneStepWaitsForSeveral) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.round().recv(b, 2);
  builder.reduce(a, b, c);
  const Schedule schedule = builder.done();
  const Numbers waits = waits_of(schedule, 2);
  EXPECT_EQ(std::set(waits.begin(), waits.end()), (std::set<std::uint32_t>{0, 1}));
}

// Messages that share no memory, as a barrier sends them: send, receive, send, send.
Schedule signals(std::optional<Pace> pace) {
  ScheduleBuilder builder(4, 0);
  if (pace) builder.pace(*pace);
  builder.round().signal(1);
  builder.round().await(2);
  builder.round();
  builder.round();  // a receive is posted at most one round ahead
  builder.round().signal(1);
  builder.round().signal(3);
  return hoist_receives(std::move(builder).finish());
}

// Those that came before have been seen to by then.
TEST(BuilderPace, AllAtOnceLocalWorkWaitsForEarlierReceivesInTheirOrder) {
  Builder builder;
  builder.round().recv(a, 1);
  builder.round().recv(b, 2);
  builder.round().recv(c, 3);
  builder.copy(b, out(24, 8));
  builder.round().send(c, 1);
  const Schedule schedule = builder.done();
  const auto awaited = [&](std::size_t step) {
    std::vector<Rank> peers;
    for (const std::uint32_t each : waits_of(schedule, step)) {
      peers.push_back(schedule.steps[each].peer);
    }
    return peers;
  };
  EXPECT_EQ(awaited(3), (std::vector<Rank>{1, 2}));
  EXPECT_EQ(awaited(4), std::vector<Rank>{3}) << "a send only for what it sends";
}

TEST(BuilderPace, AllAtOnceNoSendWaits) {
  const Schedule schedule = signals(Pace::all_at_once);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(waits_of(schedule, i), Numbers{}) << "step " << i;
}

TEST(BuilderPace, OneSendWaitsForEarlierSendsOnly) {
  const Schedule schedule = signals(Pace::one_send);
  ASSERT_EQ(schedule.steps[0].kind, Kind::recv);
  EXPECT_EQ(waits_of(schedule, 1), Numbers{});
  EXPECT_EQ(waits_of(schedule, 2), Numbers{1});
  EXPECT_EQ(waits_of(schedule, 3), Numbers{2});
  EXPECT_EQ(schedule.last_waits, (Numbers{0, 3}));
}

TEST(BuilderPace, RoundByRoundWaitsForReceivesToo) {
  const Schedule schedule = signals(Pace::round_by_round);
  ASSERT_EQ(schedule.steps[0].kind, Kind::recv);
  EXPECT_EQ(waits_of(schedule, 1), Numbers{});
  EXPECT_EQ(waits_of(schedule, 2), (Numbers{1, 0}));
  EXPECT_EQ(waits_of(schedule, 3), Numbers{2});
}

TEST(BuilderPace, IsOneSendUnlessSaidOtherwise) {
  EXPECT_EQ(to_string(signals(std::nullopt)), to_string(signals(Pace::one_send)));
}

TEST(BuilderPace, MakesNoMessageOfTheSameRoundWait) {
  ScheduleBuilder builder(4, 0);
  builder.pace(Pace::round_by_round);
  Round round = builder.round();
  round.await(1);
  round.signal(2);
  EXPECT_EQ(waits_of(hoist_receives(std::move(builder).finish()), 1), Numbers{});
}

// A send and a receive in each of four rounds, with different ranks.
Schedule exchanges(int window, Pace pace = Pace::round_by_round) {
  ScheduleBuilder builder(9, 0);
  builder.pace(pace, window);
  for (int k = 1; k < 5; ++k) {
    Round round = builder.round();
    round.signal(k);
    round.await(k + 4);
  }
  return hoist_receives(std::move(builder).finish());
}

// Of each send, or receive, of `exchanges` by its round: the peers of the messages it waits for.
std::vector<std::set<Rank>> peers_waited_for(const Schedule& schedule, Kind kind = Kind::send) {
  std::vector<std::set<Rank>> all(5);
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    if (step.kind != kind) continue;
    const Rank round = kind == Kind::send ? step.peer : step.peer - 4;
    for (const std::uint32_t waited : waits_of(schedule, i)) {
      all[static_cast<std::size_t>(round)].insert(schedule.steps[waited].peer);
    }
  }
  return all;
}

TEST(BuilderPace, InAWindowASendWaitsForTheMessagesThatLeaveIt) {
  const std::set<Rank> nobody;
  EXPECT_EQ(peers_waited_for(exchanges(2)),
            (std::vector<std::set<Rank>>{{}, nobody, nobody, {1, 5}, {2, 6}}));
  EXPECT_EQ(peers_waited_for(exchanges(3)),
            (std::vector<std::set<Rank>>{{}, nobody, nobody, nobody, {1, 5}}));
  EXPECT_EQ(peers_waited_for(exchanges(4)), std::vector<std::set<Rank>>(5));
}

TEST(BuilderPace, InTurnAMessageWaitsForThoseOfItsKindThatLeaveTheWindow) {
  for (const int window : {1, 2, 3}) {
    std::vector<std::set<Rank>> sends(5), receives(5);
    for (int round = window + 1; round < 5; ++round) {
      sends[static_cast<std::size_t>(round)] = {round - window};
      receives[static_cast<std::size_t>(round)] = {round - window + 4};
    }
    const Schedule schedule = exchanges(window, Pace::in_turn);
    EXPECT_EQ(peers_waited_for(schedule), sends) << "window " << window;
    EXPECT_EQ(peers_waited_for(schedule, Kind::recv), receives) << "window " << window;
  }
}

TEST(BuilderPace, RoundByRoundIsAWindowOfOne) {
  ScheduleBuilder builder(4, 0);
  builder.pace(Pace::round_by_round, 3);
  builder.pace(Pace::round_by_round);
  builder.round().signal(1);
  builder.round().signal(2);
  EXPECT_EQ(waits_of(hoist_receives(std::move(builder).finish()), 1), Numbers{0});
  EXPECT_EQ(peers_waited_for(exchanges(1)),
            (std::vector<std::set<Rank>>{{}, {}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(BuilderPace, HoldsForTheSendsThatFollow) {
  ScheduleBuilder builder(4, 0);
  builder.pace(Pace::all_at_once);
  builder.round().signal(1);
  builder.round().signal(1);
  builder.pace(Pace::one_send);
  builder.round().signal(1);
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  EXPECT_EQ(waits_of(schedule, 1), Numbers{});
  EXPECT_EQ(waits_of(schedule, 2), (Numbers{0, 1}));
}

}  // namespace
}  // namespace tutti
