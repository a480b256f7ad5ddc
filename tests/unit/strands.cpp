// Strands: each keeps its order and its pace, and does not wait for another.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "execute/executor.hpp"
#include "model/simulate.hpp"
#include "passes/receives.hpp"
#include "support.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

// Completes messages when they are waited for, those of `late` only if nothing else is.
class Transport {
 public:
  Transport(const Schedule& schedule, std::set<std::uint32_t> late)
      : schedule_(schedule), late_(std::move(late)) {}

  void send(const Step&, std::uint32_t number) { issued.push_back(number); }
  void recv(const Step&, std::uint32_t number) { issued.push_back(number); }
  void exchange(const Step&, std::uint32_t number) {
    issued.insert(issued.end(), {number, number + 1});
  }
  void reduce(const Step&, std::uint32_t number) { issued.push_back(number); }
  void copy(const Step&, std::uint32_t number) { issued.push_back(number); }
  void wait(const Step& step) { complete_.insert(number_of(step)); }
  bool is_complete(const Step& step) const { return complete_.contains(number_of(step)); }
  void wait_for_some(std::span<const Step* const> messages) {
    bool some = false;
    for (const Step* message : messages) {
      if (late_.contains(number_of(*message))) continue;
      wait(*message);
      some = true;
    }
    if (!some) wait(*messages.front());
  }
  void wait_for_all() {
    for (const Step& step : schedule_.steps) wait(step);
  }

  Numbers issued;

 private:
  std::uint32_t number_of(const Step& step) const {
    return static_cast<std::uint32_t>(&step - schedule_.steps.data());
  }
  const Schedule& schedule_;
  std::set<std::uint32_t> late_, complete_;
};

Numbers order(const Schedule& schedule, const std::set<std::uint32_t>& late) {
  Transport transport(schedule, late);
  execute(schedule, transport);
  return transport.issued;
}

// Passes on what comes from rank 1, and what comes from rank 2.
Schedule two_relays() {
  return Handwritten()
      .recv({out(0, 4)}, 1, 0)
      .send({out(0, 4)}, 3, 1, {0})
      .strand(1)
      .recv({out(4, 4)}, 2, 2)
      .send({out(4, 4)}, 3, 3, {2}, 1)
      .wait_at_end({1, 3});
}

TEST(Strands, GoOnWhereAnotherHasToWait) {
  EXPECT_EQ(order(two_relays(), {}), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(order(two_relays(), {0}), (Numbers{0, 2, 3, 1}));
  EXPECT_EQ(order(two_relays(), {2}), (Numbers{0, 2, 1, 3}));
}

TEST(Strands, TakeTurns) {
  const Schedule schedule = Handwritten()
                                .send({out(0, 1)}, 1, 0)
                                .send({out(1, 1)}, 1, 1, {}, 1)
                                .strand(1)
                                .send({out(2, 1)}, 2, 2)
                                .send({out(3, 1)}, 2, 3, {}, 1)
                                .send({out(4, 1)}, 2, 4, {}, 2)
                                .wait_at_end({0, 1, 2, 3, 4});
  EXPECT_EQ(order(schedule, {}), (Numbers{0, 2, 1, 3, 4}));
}

TEST(Strands, AreSimulatedAsTheyAreRun) {
  const Schedule passes_on = two_relays();
  Schedule in_order = passes_on;
  in_order.strands = 1;
  for (Step& step : in_order.steps) step.strand = 0;
  // Rank 1 has to hear from rank 3 first, which takes a message of 80.
  const Schedule late =
      Handwritten().recv({out(8, 80)}, 3, 0).send({out(0, 4)}, 0, 0, {0}).wait_at_end({1});
  const Schedule soon = Handwritten().send({out(4, 4)}, 0, 2).wait_at_end({0});
  const Schedule last = Handwritten()
                            .send({out(8, 80)}, 1, 0)
                            .recv({out(0, 4)}, 0, 1)
                            .recv({out(4, 4)}, 0, 3, {}, 1)
                            .wait_at_end({0, 1, 2});
  const Machine machine{.alpha = 1, .beta = 1, .gamma = 0};
  const auto seconds = [&](const Schedule& first) {
    return simulate({first, late, soon, last}, 1, machine).seconds;
  };
  EXPECT_EQ(seconds(passes_on), 81 + 5 + 5);
  EXPECT_EQ(seconds(in_order), 81 + 5 + 5 + 5);
}

TEST(Strands, KeepTheirOwnPaceAndSlots) {
  ScheduleBuilder builder(4, 0);
  builder.round().send(out(0, 4), 1);
  builder.strand(1);
  builder.round().send(out(4, 4), 2);
  builder.strand(0);
  builder.round().send(out(8, 4), 1);
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  EXPECT_EQ(schedule.strands, 2);
  EXPECT_EQ(waits_of(schedule, 1), Numbers{});
  EXPECT_EQ(waits_of(schedule, 2), Numbers{0});
  EXPECT_EQ(schedule.steps[2].slot, schedule.steps[0].slot);
  EXPECT_NE(schedule.steps[1].slot, schedule.steps[0].slot);
}

// Where messages come all at once, local work waits for those that came before: of its strand.
TEST(Strands, CombineWithoutWaitingForOthers) {
  ScheduleBuilder builder(4, 0);
  builder.pace(Pace::all_at_once);
  builder.round().recv(out(0, 4), 1);
  builder.strand(1);
  builder.round().recv(out(4, 4), 2);
  builder.round().recv(out(8, 4), 3);
  builder.copy(out(8, 4), out(12, 4));
  const Schedule schedule = hoist_receives(std::move(builder).finish());
  std::set<Rank> awaited;
  for (const std::uint32_t step : waits_of(schedule, 3)) awaited.insert(schedule.steps[step].peer);
  EXPECT_EQ(awaited, (std::set<Rank>{2, 3}));
}

// A broadcast of 4 units to two ranks, as rank 0 sends it.
std::string verdict(const Schedule& root) {
  const Call call{.collective = Collective::bcast, .p = 3, .layout = Layout(4, 3)};
  const auto receives = [](int round) -> Schedule {
    return Handwritten().recv({out(0, 4)}, 0, round).wait_at_end({0});
  };
  return verify(call, InPlace::none, {root, receives(0), receives(1)});
}

Handwritten half(const Numbers& waits = {}) {
  return Handwritten()
      .send({out(0, 4)}, 1, 0)
      .strand(1)
      .send({out(0, 4)}, 2, 1, waits)
      .wait_at_end({0, 1});
}

TEST(Strands, MayReadTheSame) { EXPECT_EQ(verdict(half()), ""); }

TEST(Strands, DoNotWaitForEachOther) {
  EXPECT_THAT(verdict(half({0})), HasSubstr("waits for another strand"));
}

TEST(Strands, DoNotTouchWhatAnotherWrites) {
  const auto writes = [](const Slice& place) {
    Handwritten all = half();
    return verdict(all.strand(0).copy(out(1, 1), place, {0}).wait_at_end({1}));
  };
  EXPECT_THAT(writes(out(1, 1)), HasSubstr("touches what another strand writes"));
  EXPECT_THAT(writes(out(3, 1)), HasSubstr("touches what another strand writes"));
}

TEST(Strands, AreThoseTheScheduleHas) {
  Schedule schedule = half();
  schedule.strands = 1;
  EXPECT_THAT(verdict(schedule), HasSubstr("is of no strand"));
  schedule.strands = most_strands + 1;
  EXPECT_THAT(verdict(schedule), HasSubstr("is of no strand"));
}

}  // namespace
}  // namespace tutti
