// What the builder makes of the text of an algorithm, apart from waits: pieces, tags, ranks.
#include <gmock/gmock.h>

#include "built.hpp"

namespace tutti {
namespace {

TEST(BuilderPieces, NeighboursAreJoined) {
  Builder builder;
  builder.round().send({out(0, 2), out(2, 3), out(6, 1)}, 1);
  EXPECT_EQ(slices_of(builder.done(), 0), (Slices{out(0, 5), out(6, 1)}));
}

TEST(BuilderPieces, AreNotJoinedAcrossBuffersOrOutOfOrder) {
  Builder builder;
  const Slices pieces{out(2, 2), out(0, 2), in(2, 2)};
  builder.round().send(pieces, 1);
  EXPECT_EQ(slices_of(builder.done(), 0), pieces);
}

TEST(BuilderPieces, EmptyOnesAreDropped) {
  Builder builder;
  builder.round().send({out(0, 2), out(7, 0), out(2, 2), in(0, 0)}, 1);
  EXPECT_EQ(slices_of(builder.done(), 0), Slices{out(0, 4)});
}

TEST(BuilderPieces, EmptyMessagesAndCopiesAreNoSteps) {
  Builder builder;
  Round round = builder.round();
  round.send(out(3, 0), 1);
  round.recv({out(3, 0), in(0, 0)}, 1);
  builder.copy(in(0, 0), out(0, 0));
  builder.reduce(in(0, 0), in(4, 0), out(0, 0));
  const Schedule schedule = builder.done();
  EXPECT_TRUE(schedule.steps.empty());
  EXPECT_EQ(schedule.rounds, 1);
}

TEST(BuilderPieces, ASignalIsAStepWithoutPieces) {
  Builder builder;
  builder.round().signal(1);
  const Schedule schedule = builder.done();
  ASSERT_EQ(schedule.steps.size(), 1u);
  EXPECT_EQ(schedule.size_of(schedule.steps[0]), 0);
  EXPECT_EQ(slices_of(schedule, 0), Slices{});
}

TEST(BuilderPieces, CopiesOntoThemselvesVanish) {
  Builder builder;
  builder.copy(a, a);
  builder.copy({in(0, 4), out(8, 2)}, {out(0, 4), out(8, 2)});
  const Schedule schedule = builder.done();
  ASSERT_EQ(schedule.steps.size(), 1u);
  EXPECT_EQ(slices_of(schedule, 0), (Slices{in(0, 4), out(0, 4)}));
}

TEST(BuilderPieces, CopiesAreSplitWhereEitherSideIs) {
  Builder builder;
  builder.copy({in(0, 3), in(5, 3)}, {out(0, 4), out(6, 2)});
  const Schedule schedule = builder.done();
  ASSERT_EQ(schedule.steps.size(), 3u);
  EXPECT_EQ(slices_of(schedule, 0), (Slices{in(0, 3), out(0, 3)}));
  EXPECT_EQ(slices_of(schedule, 1), (Slices{in(5, 1), out(3, 1)}));
  EXPECT_EQ(slices_of(schedule, 2), (Slices{in(6, 2), out(6, 2)}));
}

TEST(BuilderPieces, ReductionsAreSplitWhereAnyOfThreeIs) {
  Builder builder;
  builder.reduce({in(0, 1), in(8, 5)}, {scratch(0, 6)}, {out(0, 4), out(9, 2)});
  const Schedule schedule = builder.done();
  ASSERT_EQ(schedule.steps.size(), 3u);
  EXPECT_EQ(slices_of(schedule, 0), (Slices{in(0, 1), scratch(0, 1), out(0, 1)}));
  EXPECT_EQ(slices_of(schedule, 1), (Slices{in(8, 3), scratch(1, 3), out(1, 3)}));
  EXPECT_EQ(slices_of(schedule, 2), (Slices{in(11, 2), scratch(4, 2), out(9, 2)}));
}

TEST(BuilderPieces, OperandsAreJoinedUnlessTheyStayWhole) {
  const auto reductions = [](bool join) {
    Builder builder;
    builder.join_operands(join);
    builder.reduce({out(0, 3), out(3, 0), out(3, 5)}, {in(0, 8)}, {out(8, 8)});
    return order_of(builder.done());
  };
  EXPECT_EQ(reductions(true), "reduce");
  EXPECT_EQ(reductions(false), "reduce, reduce");
}

TEST(BuilderTags, CountPerPeerAndDirection) {
  Builder builder;
  builder.round().send(a, 1);
  builder.round().send(a, 2);
  builder.round().send(a, 1);
  builder.round().recv(b, 1);
  builder.round().recv(b, 1);
  std::string tags;
  for (const Step& step : builder.done().steps) {
    tags += std::string(to_string(step.kind)) + " " + std::to_string(step.peer) + ": " +
            std::to_string(step.tag) + "\n";
  }
  EXPECT_EQ(tags, "send 1: 0\nsend 2: 0\nrecv 1: 0\nsend 1: 1\nrecv 1: 1\n");
}

TEST(BuilderRanks, WrapAroundInBothDirections) {
  ScheduleBuilder builder(5, 3);
  for (const Rank peer : {4, 5, 7, -1, -5, 12}) builder.round().send(a, peer);
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  const std::vector<Rank> expected{4, 0, 2, 4, 0, 2};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(schedule.steps[i].peer, expected[i]);
}

TEST(BuilderRanks, VirtualRanksStartAtTheOrigin) {
  ScheduleBuilder builder(5, 1, 3);  // rank 4
  for (const Rank peer : {0, 2, 4, -2}) builder.round().send(a, peer);
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  const std::vector<Rank> expected{3, 0, 2, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(schedule.steps[i].peer, expected[i]);
}

TEST(BuilderScratch, RegionsAreDisjoint) {
  Builder builder;
  const Slice first = builder.scratch(5), empty = builder.scratch(0), second = builder.scratch(7);
  EXPECT_EQ(first, scratch(0, 5));
  EXPECT_EQ(empty.size, 0);
  EXPECT_EQ(second, scratch(5, 7));
  EXPECT_EQ(builder.done().scratch, 12);
}

TEST(BuilderScratch, ApartTakesScratchOnlyWhereMemoryIsShared) {
  Builder builder;
  EXPECT_EQ(builder.apart(a, {b, in(0, 8)}), a);
  EXPECT_EQ(builder.apart(a, {b, out(7, 1)}), scratch(0, 8));
}

// Two halves, in each of which what is received in one round is combined and sent in the next.
TEST(BuilderTurns, LocalWorkOfOnePartFollowsTheMessagesOfTheOther) {
  ScheduleBuilder builder(4, 0);
  builder.pace(Pace::in_turn);
  std::vector<ScheduleBuilder::Part> halves{{builder.fresh()}, {builder.fresh(), 8}};
  for (ScheduleBuilder::Part& half : halves) {
    const Slice landing = half.written.scratch(8);
    half.written.round().recv(landing, 1);
    half.written.reduce(in(0, 8), landing, out(0, 8));
    half.written.round().send(out(0, 8), 2);
  }
  builder.by_turns(halves);
  EXPECT_EQ(to_string(hoist_receives(std::move(builder).finish())),
            "   0  round   0  recv        scratch[0, 8) from 1\n"
            "   1  round   1  recv        scratch[8, 16) from 1  after 0\n"
            "   2  round   2  reduce      in[0, 8) op scratch[0, 8) -> out[0, 8)\n"
            "   3  round   2  send        out[0, 8) to 2\n"
            "   4  round   3  reduce      in[8, 16) op scratch[8, 16) -> out[8, 16)  after 1\n"
            "   5  round   3  send        out[8, 16) to 2  after 3\n");
}

// Neither waits for the other's messages, but the second part for one without data.
TEST(BuilderTurns, PartsThatStartApart) {
  ScheduleBuilder builder(4, 2);
  builder.pace(Pace::in_turn, 2);
  std::vector<ScheduleBuilder::Part> halves{{builder.fresh()}, {builder.fresh(), 8}};
  for (ScheduleBuilder::Part& half : halves) {
    for (int i = 0; i < 2; ++i) half.written.round().send(out(4 * i, 4), 0);
  }
  builder.by_turns(halves, ScheduleBuilder::Start::apart);
  EXPECT_EQ(to_string(hoist_receives(std::move(builder).finish())),
            "   0  round   1  recv         from 1\n"
            "   1  round   0  send        out[0, 4) to 0\n"
            "   2  round   1  send         to 3\n"
            "   3  round   2  send        out[8, 12) to 0  after 0\n"
            "   4  round   3  send        out[4, 8) to 0  after 1, 2\n"
            "   5  round   4  send        out[12, 16) to 0  after 3\n");
}

TEST(BuilderTurns, WhatIsBlankInAPartIsBlank) {
  ScheduleBuilder builder(4, 2);
  builder.scratch(8);
  std::vector<ScheduleBuilder::Part> halves{{builder.fresh()}, {builder.fresh(), 8}};
  for (ScheduleBuilder::Part& half : halves) {
    half.written.scratch(3);
    half.written.round().send(half.written.blank(2), 0);
  }
  builder.by_turns(halves);
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  EXPECT_EQ(schedule.blank, (Slices{scratch(11, 2), scratch(16, 2)}));
  EXPECT_EQ(slices_of(schedule, 1), Slices{scratch(16, 2)});
}

TEST(ScheduleText, OneLinePerStep) {
  Builder builder;
  builder.copy(in(0, 4), out(0, 4));
  Round round = builder.round();
  round.send({out(0, 4), out(8, 1)}, 1);
  round.recv(scratch(0, 4), 2);
  builder.reduce(scratch(0, 4), in(0, 4), out(0, 4));
  EXPECT_EQ(to_string(builder.done()),
            "   0  round   0  recv        scratch[0, 4) from 2\n"
            "   1  round  -1  copy        in[0, 4) -> out[0, 4)\n"
            "   2  round   0  send        out[0, 4) + out[8, 9) to 1\n"
            "   3  round   0  reduce      scratch[0, 4) op in[0, 4) -> out[0, 4)  after 2, 0\n");
}

TEST(ScheduleText, OfAnEmptySchedule) { EXPECT_EQ(to_string(Schedule{}), ""); }

}  // namespace
}  // namespace tutti
