// Hand-written broken schedules whose messages are wrong, each rejected with the right complaint.
#include <gmock/gmock.h>

#include "support.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

// Broadcasts of 4 units from rank 0.
std::string verdict(int p, const std::vector<Schedule>& schedules) {
  const Call call{.collective = Collective::bcast, .p = p, .layout = Layout(4, p)};
  return verify(call, InPlace::none, schedules);
}

const Slices all{out(0, 4)};

Handwritten sender() { return Handwritten().send(all, 1, 0).wait_at_end({0}); }
Handwritten receiver() { return Handwritten().recv(all, 0, 0).wait_at_end({0}); }

TEST(VerifyMessages, AcceptsARightBroadcast) { EXPECT_EQ(verdict(2, {sender(), receiver()}), ""); }

TEST(VerifyMessages, MissingSend) {
  EXPECT_THAT(verdict(2, {Schedule{}, receiver()}), HasSubstr("deadlock: rank 1 waits for ever"));
}

TEST(VerifyMessages, ExtraSend) {
  const Schedule twice = sender().send(all, 1, 1, {}, 1).wait_at_end({0, 1});
  EXPECT_THAT(verdict(2, {twice, receiver()}), HasSubstr("deadlock: rank 0 waits for ever"));
}

TEST(VerifyMessages, ReceiveNobodyServes) {
  const Schedule extra = receiver().recv({}, 0, 1, {}, 1);
  EXPECT_THAT(verdict(2, {sender(), extra}),
              HasSubstr("a message from rank 0 to rank 1 has only one side"));
}

TEST(VerifyMessages, SizeMismatch) {
  const Schedule small = Handwritten().recv({out(0, 3)}, 0, 0).wait_at_end({0});
  EXPECT_THAT(verdict(2, {sender(), small}),
              HasSubstr("rank 0 sends 4 units to rank 1, which expects 3"));
}

TEST(VerifyMessages, PiecesMayBeCutDifferently) {
  const Schedule send = Handwritten().send({out(0, 1), out(1, 3)}, 1, 0).wait_at_end({0});
  const Schedule recv = Handwritten().recv({out(0, 2), out(2, 2)}, 0, 0).wait_at_end({0});
  EXPECT_EQ(verdict(2, {send, recv}), "");
}

TEST(VerifyMessages, PiecesInTheWrongOrder) {
  const Schedule recv = Handwritten().recv({out(2, 2), out(0, 2)}, 0, 0).wait_at_end({0});
  EXPECT_THAT(verdict(2, {sender(), recv}), HasSubstr("should hold 0 at element 0"));
}

Schedule with_lead(Schedule schedule, std::uint32_t steps) {
  schedule.lead = steps;
  return schedule;
}

TEST(VerifyMessages, MayGoBeforeTheOthers) {
  EXPECT_EQ(verdict(2, {with_lead(sender(), 1), with_lead(receiver(), 1)}), "");
}

TEST(VerifyMessages, GoBeforeTheOthersOnBothSides) {
  const std::string complaint = "goes before the others on one side only";
  EXPECT_THAT(verdict(2, {with_lead(sender(), 1), receiver()}), HasSubstr(complaint));
  EXPECT_THAT(verdict(2, {sender(), with_lead(receiver(), 1)}), HasSubstr(complaint));
}

TEST(VerifyMessages, OnlyThoseThatWaitForNothingGoBeforeTheOthers) {
  const Schedule copies = Handwritten().copy(out(0, 2), out(2, 2));
  EXPECT_THAT(verdict(1, {with_lead(copies, 1)}), HasSubstr("may go before the others"));
  const Schedule waits = Handwritten().send(all, 1, 0).send({}, 1, 1, {0}, 1).wait_at_end({1});
  EXPECT_THAT(verdict(2, {with_lead(waits, 2), receiver()}), HasSubstr("may go before the others"));
}

TEST(VerifyMessages, NoScratchIsUsedBeforeTheOthers) {
  const Slices kept{{Buffer::scratch, 0, 4}};
  const Schedule receives = Handwritten(4).recv(kept, 0, 0).copy(kept[0], all[0], {0});
  EXPECT_EQ(verdict(2, {sender(), receives}), "");
  EXPECT_THAT(verdict(2, {with_lead(sender(), 1), with_lead(receives, 1)}),
              HasSubstr("uses scratch before the others"));
}

TEST(VerifyMessages, NoSuchPeer) {
  for (const Rank peer : {-1, 2, 0}) {
    const Schedule wrong = Handwritten().send(all, peer, 0).wait_at_end({0});
    EXPECT_THAT(verdict(2, {wrong, receiver()}),
                HasSubstr("rank 0 names rank " + std::to_string(peer) + " as its peer"));
  }
}

TEST(VerifyMessages, TagTwice) {
  const Schedule twice = receiver().recv({}, 0, 1).wait_at_end({0, 1});
  EXPECT_THAT(verdict(2, {Schedule(Handwritten().rounds(2)), twice}),
              HasSubstr("ranks 0 and 1 use a message tag twice"));
}

TEST(VerifyMessages, KeepTheirOrder) {
  const Schedule sends = Handwritten().send({}, 1, 0, {}, 1).send(all, 1, 1).wait_at_end({0, 1});
  const Schedule receives = Handwritten().recv({}, 0, 0, {}, 1).recv(all, 0, 1).wait_at_end({0, 1});
  EXPECT_THAT(verdict(2, {sends, receives}),
              HasSubstr("rank 0, step 0 (send): overtakes another between the same ranks"));
}

// A broadcast, and two messages without data behind it.
Schedule three_messages(const Numbers& last_waits) {
  return sender().send({}, 1, 1, {0}, 1).send({}, 1, 2, last_waits, 2).wait_at_end({1, 2});
}
const Schedule three_received =
    receiver().recv({}, 0, 1, {}, 1).recv({}, 0, 2, {}, 2).wait_at_end({0, 1, 2});

TEST(VerifyMessages, AreWaitedForOnce) {
  EXPECT_EQ(verdict(2, {three_messages({}), three_received}), "");
  EXPECT_THAT(verdict(2, {three_messages({0}), three_received}),
              HasSubstr("rank 0, step 2 (send): waits for step 0 again"));
}

TEST(VerifyMessages, HaveSlotsOfTheirOwn) {
  Schedule sends = three_messages({});
  sends.steps[2].slot = sends.steps[1].slot;
  EXPECT_THAT(verdict(2, {sends, three_received}),
              HasSubstr("rank 0, step 2 (send): takes a slot that is in use"));
  sends.steps[2].slot = -1;
  EXPECT_THAT(verdict(2, {sends, three_received}), HasSubstr("step 2 (send): has no slot"));
}

TEST(VerifyMessages, TwoSendsInARound) {
  const Schedule root = sender().send(all, 2, 0).wait_at_end({0, 1});
  EXPECT_THAT(verdict(3, {root, receiver(), receiver()}),
              HasSubstr("rank 0, step 1 (send): is the second of its kind in round 0"));
}

TEST(VerifyMessages, TwoReceivesInARound) {
  const Schedule twice = receiver().recv({}, 2, 0).wait_at_end({0, 1});
  EXPECT_THAT(verdict(3, {sender(), twice, receiver()}),
              HasSubstr("rank 1, step 1 (recv): is the second of its kind in round 0"));
}

// A message may go in fragments, but nothing may come between them.
TEST(VerifyMessages, FragmentsAreOneMessage) {
  const Slice first = out(0, 1), rest = out(1, 3);
  const auto ends = [&](bool apart) {
    Handwritten sends, receives;
    sends.send({first}, 1, 0), receives.recv({first}, 0, 0);
    if (apart) sends.copy(first, out(2, 1));
    sends.send({rest}, 1, 0, {}, 1), receives.recv({rest}, 0, 0, {}, 1);
    return std::vector<Schedule>{sends.wait_at_end({0, apart ? 2u : 1u}),
                                 receives.wait_at_end({0, 1})};
  };
  EXPECT_EQ(verdict(2, ends(false)), "");
  EXPECT_THAT(verdict(2, ends(true)), HasSubstr("is the second of its kind in round 0"));
}

TEST(VerifyMessages, RoundDisagreement) {
  const Schedule late = Handwritten().recv(all, 0, 1).wait_at_end({0});
  EXPECT_THAT(verdict(2, {sender(), late}), HasSubstr("rank 1, step 0 (recv): is sent in round 0"));
}

TEST(VerifyMessages, NoRound) {
  EXPECT_THAT(verdict(2, {sender().rounds(0), receiver()}), HasSubstr("is in no round"));
  const Schedule before = Handwritten().send(all, 1, -1).wait_at_end({0});
  EXPECT_THAT(verdict(2, {before, receiver()}), HasSubstr("is in no round"));
}

// Allgathers of a unit each between two ranks.
std::string exchanged(const std::vector<Schedule>& schedules) {
  const Call call{.collective = Collective::allgather, .p = 2, .layout = Layout(2, 2)};
  return verify(call, InPlace::none, schedules);
}

Schedule receives_first(Rank me) {
  const Rank peer = 1 - me;
  return Handwritten()
      .copy(in(0, 1), out(me, 1))
      .recv({out(peer, 1)}, peer, 0)
      .send({out(me, 1)}, peer, 0)
      .wait_at_end({1, 2});
}

Schedule sends_first(Rank me) {
  const Rank peer = 1 - me;
  return Handwritten()
      .copy(in(0, 1), out(me, 1))
      .send({out(me, 1)}, peer, 0)
      .recv({out(peer, 1)}, peer, 0)
      .wait_at_end({1, 2});
}

TEST(VerifyMessages, TwoSendsThatWaitForEachOtherAreADeadlock) {
  EXPECT_THAT(exchanged({sends_first(0), sends_first(1)}), HasSubstr("deadlock: rank 0"));
  EXPECT_EQ(exchanged({receives_first(0), sends_first(1)}), "");
  EXPECT_EQ(exchanged({receives_first(0), receives_first(1)}), "");
}

TEST(VerifyMessages, ReadingWhatIsStillBeingReceived) {
  const Schedule hasty = Handwritten(1)
                             .copy(in(0, 1), out(0, 1))
                             .recv({out(1, 1)}, 1, 0)
                             .send({out(0, 1)}, 1, 0)
                             .copy(out(1, 1), scratch(0, 1))
                             .wait_at_end({1, 2});
  EXPECT_THAT(exchanged({hasty, receives_first(1)}),
              HasSubstr("rank 0, step 3 (copy): touches memory of step 1, still under way"));
}

TEST(VerifyMessages, WritingWhatIsStillBeingSent) {
  const Schedule hasty = Handwritten()
                             .copy(in(0, 1), out(0, 1))
                             .recv({out(1, 1)}, 1, 0)
                             .send({out(0, 1)}, 1, 0)
                             .copy(in(0, 1), out(0, 1))
                             .wait_at_end({1, 2});
  EXPECT_THAT(exchanged({hasty, receives_first(1)}),
              HasSubstr("rank 0, step 3 (copy): touches memory of step 2, still under way"));
}

TEST(VerifyMessages, ReadingWhatIsStillBeingSentIsAllowed) {
  const Schedule reader = Handwritten(1)
                              .copy(in(0, 1), out(0, 1))
                              .recv({out(1, 1)}, 1, 0)
                              .send({out(0, 1)}, 1, 0)
                              .copy(out(0, 1), scratch(0, 1))
                              .wait_at_end({1, 2});
  EXPECT_EQ(exchanged({reader, receives_first(1)}), "");
}

// Barriers of three ranks: in round k, rank tells rank + k + 1.
Schedule telling(Rank me, int rounds) {
  Handwritten text;
  for (int k = 0; k < rounds; ++k) {
    const auto before = static_cast<std::uint32_t>(2 * k);
    const Numbers waits = k == 0 ? Numbers{} : Numbers{before - 2, before - 1};
    text.recv({}, (me + 3 - (k + 1)) % 3, k, waits).send({}, (me + k + 1) % 3, k);
    text.wait_at_end({before, before + 1});
  }
  return text;
}

TEST(VerifyMessages, ABarrierLeftEarly) {
  const Call call{.collective = Collective::barrier, .p = 3, .layout = Layout(0, 3)};
  const auto barrier = [&](int rounds) {
    return verify(call, InPlace::none,
                  {telling(0, rounds), telling(1, rounds), telling(2, rounds)});
  };
  EXPECT_EQ(barrier(2), "");
  EXPECT_THAT(barrier(1), HasSubstr("rank 0 leaves the barrier before all have arrived"));
}

}  // namespace
}  // namespace tutti
