// The simulator by hand, the machine file, and calls as tools ask for them.
#include "model/simulate.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "model/machine_file.hpp"
#include "support.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

const Machine machine{.alpha = 1, .beta = 0.5, .gamma = 0.25};

TEST(Simulate, AMessageTakesAlphaPlusBytesTimesBeta) {
  const Schedule send = Handwritten().send({out(0, 4)}, 1, 0).wait_at_end({0});
  const Schedule recv = Handwritten().recv({out(0, 4)}, 0, 0).wait_at_end({0});
  const Simulation taken = simulate({send, recv}, 2, machine);
  EXPECT_EQ(taken.seconds, 1 + 8 * 0.5);
  EXPECT_EQ(taken.messages, 1);
  EXPECT_EQ(taken.bytes, 8);
  EXPECT_EQ(taken.most_sent, 8);
  EXPECT_EQ(taken.rounds, 1);
}

TEST(Simulate, ARankSendsOneMessageAtATime) {
  const Schedule root =
      Handwritten().send({out(0, 2)}, 1, 0).send({out(0, 2)}, 2, 1).wait_at_end({0, 1});
  const Schedule near = Handwritten().recv({out(0, 2)}, 0, 0).wait_at_end({0}).rounds(2);
  const Schedule far = Handwritten().recv({out(0, 2)}, 0, 1).wait_at_end({0});
  EXPECT_EQ(simulate({root, near, far}, 1, machine).seconds, 4);
}

TEST(Simulate, BothDirectionsAtOnce) {
  const auto exchange = [](Rank peer) -> Schedule {
    return Handwritten(2)
        .send({in(0, 2)}, peer, 0)
        .recv({scratch(0, 2)}, peer, 0)
        .wait_at_end({0, 1});
  };
  const Simulation taken = simulate({exchange(1), exchange(0)}, 1, machine);
  EXPECT_EQ(taken.seconds, 2);
  EXPECT_EQ(taken.messages, 2);
}

const Machine cheap_one_way{.alpha = 1, .beta = 0.5, .gamma = 0, .f_alpha = 0.5, .f_beta = 0.25};

TEST(Simulate, AMessageThatGoesOneWayPaysTheUniPrice) {
  const Schedule send = Handwritten().send({out(0, 4)}, 1, 0).wait_at_end({0});
  const Schedule recv = Handwritten().recv({out(0, 4)}, 0, 0).wait_at_end({0});
  EXPECT_EQ(simulate({send, recv}, 2, cheap_one_way).seconds, 0.5 * 1 + 8 * 0.25 * 0.5);
}

TEST(Simulate, AnExchangePaysTheFullPrice) {
  const auto exchange = [](Rank peer) -> Schedule {
    return Handwritten(4)
        .send({in(0, 4)}, peer, 0)
        .recv({scratch(0, 4)}, peer, 0)
        .wait_at_end({0, 1});
  };
  EXPECT_EQ(simulate({exchange(1), exchange(0)}, 1, cheap_one_way).seconds, 1 + 4 * 0.5);
}

// In a chain, the rank in the middle sends and receives in the same round: neither message has a
// link to itself. In different rounds both do.
TEST(Simulate, WhoElseIsBusyInTheRoundCounts) {
  const auto chain = [](int second_round) -> std::vector<Schedule> {
    return {Handwritten().send({out(0, 4)}, 1, 0).wait_at_end({0}).rounds(second_round + 1),
            Handwritten(4)
                .recv({scratch(0, 4)}, 0, 0)
                .send({in(0, 4)}, 2, second_round)
                .wait_at_end({0, 1}),
            Handwritten().recv({out(0, 4)}, 1, second_round).wait_at_end({0})};
  };
  EXPECT_EQ(simulate(chain(0), 1, cheap_one_way).seconds, 1 + 4 * 0.5);
  EXPECT_EQ(simulate(chain(1), 1, cheap_one_way).seconds, 0.5 * 1 + 4 * 0.25 * 0.5);
}

TEST(Simulate, ReducingTakesGammaPerByteAndCopyingNothing) {
  const Schedule local =
      Handwritten().copy(in(0, 4), out(0, 4)).reduce(in(0, 4), out(0, 4), out(0, 4));
  EXPECT_EQ(simulate({local}, 2, machine).seconds, 8 * 0.25);
}

TEST(Simulate, RefusesSchedulesThatDoNotEnd) {
  const Schedule waits = Handwritten().recv({out(0, 1)}, 1, 0).wait_at_end({0});
  EXPECT_THROW(simulate({waits, Schedule{}}, 1, machine), std::runtime_error);
}

TEST(CallOfBytes, RoundsUpToEqualBlocks) {
  EXPECT_EQ(call_of_bytes(Collective::allgather, 5, 12).n(), 15);
  EXPECT_EQ(call_of_bytes(Collective::allgather, 5, 15).n(), 15);
  EXPECT_EQ(call_of_bytes(Collective::alltoall, 4, 1).n(), 4);
  EXPECT_EQ(call_of_bytes(Collective::gather, 4, 0).n(), 0);
  EXPECT_EQ(call_of_bytes(Collective::bcast, 5, 12).n(), 12);
  EXPECT_EQ(call_of_bytes(Collective::barrier, 5, 12).n(), 0);
}

TEST(CallOfBytes, ReducesElementsOfEightBytesIfTheyFit) {
  const Call words = call_of_bytes(Collective::allreduce, 5, 24);
  EXPECT_EQ(words.unit_bytes, 8);
  EXPECT_EQ(words.n(), 3);
  EXPECT_EQ(words.bytes(), 24);
  const Call bytes = call_of_bytes(Collective::allreduce, 5, 25);
  EXPECT_EQ(bytes.unit_bytes, 1);
  EXPECT_EQ(bytes.n(), 25);
  EXPECT_EQ(call_of_bytes(Collective::reduce_scatter_block, 5, 88).n(), 15);
  EXPECT_EQ(call_of_bytes(Collective::bcast, 5, 24).unit_bytes, 1);
}

TEST(CallOfBytes, KeepsTheRest) {
  const Call call = call_of_bytes(Collective::reduce, 7, 8, 3);
  EXPECT_EQ(call.collective, Collective::reduce);
  EXPECT_EQ(call.p, 7);
  EXPECT_EQ(call.root, 3);
  EXPECT_TRUE(call.commutative);
}

// Two messages of one rank, and what waits for both.
double both_received(const Machine& on, const Placement* placement) {
  const Schedule root =
      Handwritten().send({out(0, 2)}, 1, 0).send({out(0, 2)}, 2, 1).wait_at_end({0, 1});
  const Schedule near = Handwritten().recv({out(0, 2)}, 0, 0).wait_at_end({0}).rounds(2);
  const Schedule far = Handwritten().recv({out(0, 2)}, 0, 1).wait_at_end({0});
  return simulate({root, near, far}, 1, on, placement).seconds;
}

TEST(Simulate, ShortMessagesOverlapWhereTheMachineLetsThem) {
  const Machine busy{.alpha = 10, .beta = 0.5, .overlap = 3, .busy = 0.4};
  EXPECT_EQ(both_received(busy, nullptr), 4 + 11) << "the processor is busy for 4";
  const Machine slow{.alpha = 10, .beta = 7, .overlap = 3, .busy = 0.4};
  EXPECT_EQ(both_received(slow, nullptr), 14 + 24) << "the port is busy for 14";
}

TEST(Simulate, AShortMessageIsOffItsSendersHandsBeforeItArrives) {
  const Machine busy{.alpha = 10, .beta = 0.5, .gamma = 100, .overlap = 3, .busy = 0.4};
  const Schedule sender =
      Handwritten().send({out(0, 2)}, 1, 0).reduce(in(0, 1), in(1, 1), in(1, 1), {0});
  const Schedule receiver = Handwritten().recv({out(0, 2)}, 0, 0).wait_at_end({0});
  EXPECT_EQ(simulate({sender, receiver}, 1, busy).seconds, 4 + 100);
  const Machine waits{.alpha = 10, .beta = 0.5, .gamma = 100, .overlap = 2, .busy = 0.4};
  EXPECT_EQ(simulate({sender, receiver}, 1, waits).seconds, 4 + 10 + 1 + 100)
      << "2 bytes are too many: its sender asks first, and waits until they are there";
}

TEST(Simulate, AShortMessageLeavesBeforeItsReceiveIsPosted) {
  const Machine busy{.alpha = 10, .beta = 0.5, .gamma = 100, .overlap = 3, .busy = 0.4};
  const Schedule sender = Handwritten().send({out(0, 2)}, 1, 0).wait_at_end({0});
  const Schedule late = Handwritten()
                            .reduce(in(0, 1), in(1, 1), in(1, 1), {})
                            .recv({out(0, 2)}, 0, 0)
                            .wait_at_end({1});
  EXPECT_EQ(simulate({sender, late}, 1, busy).seconds, 100 + 4) << "its processor sees to it then";
  const Machine waits{.alpha = 10, .beta = 0.5, .gamma = 100, .overlap = 2, .busy = 0.4};
  EXPECT_EQ(simulate({sender, late}, 1, waits).seconds, 100 + 4 + 11) << "2 bytes are too many";
  Schedule synchronous = sender;
  synchronous.synchronous = true;
  EXPECT_EQ(simulate({synchronous, late}, 1, busy).seconds, 100 + 4 + 11);
}

TEST(Simulate, MessagesUnderWayTogetherShareAConnectionOrPassItInOrder) {
  Machine machine{.alpha = 10, .beta = 5, .gamma = 100, .overlap = 3, .busy = 0.1};
  const Schedule sender = Handwritten()
                              .send({out(0, 2)}, 1, 0)
                              .send({out(0, 2)}, 1, 1, {}, 1)
                              .wait_at_end({0, 1})
                              .rounds(2);
  const Schedule receiver = Handwritten()
                                .recv({out(0, 2)}, 0, 0)
                                .recv({out(2, 2)}, 0, 1, {}, 1)
                                .reduce(in(0, 1), in(1, 1), in(1, 1), {0})
                                .wait_at_end({1})
                                .rounds(2);
  EXPECT_EQ(simulate({sender, receiver}, 1, machine).seconds, 9 + 1 + 2 * 9 + 1 + 100)
      << "a fifth of a byte passes alone, the rest beside the other message";
  machine.in_order = 2;
  EXPECT_EQ(simulate({sender, receiver}, 1, machine).seconds, 9 + 2 * 5 + 1 + 100);
}

TEST(Simulate, AProcessorTakesOneMessageAfterTheOther) {
  const Machine busy{.alpha = 10, .beta = 0.5, .gamma = 0, .overlap = 3, .busy = 0.4};
  const Schedule root =
      Handwritten().recv({out(0, 2)}, 1, 0).recv({out(2, 2)}, 2, 1).wait_at_end({0, 1}).rounds(2);
  const auto leaf = [](int tag) -> Schedule {
    return Handwritten().send({out(0, 2)}, 0, tag).wait_at_end({0});
  };
  EXPECT_EQ(simulate({root, leaf(0), leaf(1)}, 1, busy).seconds, 6 + 2 * 1 + 2 * 4)
      << "both share the port, then each takes 4";
}

TEST(Simulate, AProcessorSendsBeforeItSeesToWhatArrives) {
  const Machine busy{.alpha = 10, .beta = 0.5, .gamma = 0, .overlap = 3, .busy = 0.4};
  const Schedule many = Handwritten()
                            .recv({out(0, 2)}, 1, 0)
                            .send({in(0, 2)}, 1, 1)
                            .send({in(0, 2)}, 1, 2, {}, 1)
                            .send({in(0, 2)}, 1, 3, {}, 2)
                            .wait_at_end({0, 1, 2, 3})
                            .rounds(4);
  const Schedule one = Handwritten()
                           .send({in(0, 2)}, 0, 0)
                           .recv({out(0, 2)}, 0, 1)
                           .recv({out(2, 2)}, 0, 2, {}, 1)
                           .recv({out(4, 2)}, 0, 3, {}, 2)
                           .wait_at_end({0, 1, 2, 3})
                           .rounds(4);
  EXPECT_EQ(simulate({many, one}, 1, busy).seconds, 2 * 4 + 6 + 1 + 4)
      << "the third of them leaves at 8, though what was sent to its sender was there at 7";
}

TEST(Simulate, RanksOfANodeNeedNotAsk) {
  const Machine on{.alpha = 10,
                   .beta = 0.5,
                   .overlap = 2,
                   .busy = 0.4,
                   .near_alpha = 6,
                   .near_beta = 0.25,
                   .near_together = 0.25,
                   .near_busy = 0.5};
  const Schedule sender = Handwritten().send({out(0, 2)}, 1, 0).wait_at_end({0});
  const Schedule receiver = Handwritten().recv({out(0, 2)}, 0, 0).wait_at_end({0});
  EXPECT_EQ(simulate({sender, receiver}, 1, on).seconds, 4 + 10 + 1);
  EXPECT_EQ(simulate({sender, receiver}, 1, on, placed_on({7, 7}).get()).seconds, 6 + 0.5);
}

TEST(Simulate, RanksOfANodeAreNear) {
  const Machine on{
      .alpha = 10, .beta = 0.5, .near_alpha = 1, .near_beta = 0.25, .near_together = 0.25};
  EXPECT_EQ(both_received(on, placed_on({7, 7, 9}).get()), 1.5 + 11);
  EXPECT_EQ(both_received(on, placed_on({7, 7, 7}).get()), 1.5 + 1.5);
  EXPECT_EQ(both_received(on, nullptr), 11 + 11);
}

TEST(Simulate, RanksOfANodeShareItsPort) {
  const Machine on{.alpha = 10, .beta = 2, .near_alpha = 1, .near_beta = 1, .near_together = 0.75};
  const auto send = [](Rank to) -> Schedule {
    return Handwritten().send({out(0, 4)}, to, 0).wait_at_end({0});
  };
  const auto recv = [](Rank from) -> Schedule {
    return Handwritten().recv({out(0, 4)}, from, 0).wait_at_end({0});
  };
  const std::vector<Schedule> two_pairs{send(2), send(3), recv(0), recv(1)};
  const auto taken = [&](const std::vector<std::uint64_t>& nodes) {
    return simulate(two_pairs, 1, on, placed_on(nodes).get()).seconds;
  };
  EXPECT_EQ(taken({0, 1, 2, 3}), 18);
  EXPECT_EQ(taken({0, 0, 1, 1}), 8 + 18) << "the second starts when the first is on the wire";
  EXPECT_EQ(taken({0, 0, 1, 2}), 8 + 18);
  EXPECT_EQ(taken({0, 1, 2, 2}), 8 + 18);
  EXPECT_EQ(taken({0, 1, 0, 1}), 5) << "each to a rank of its own node";
  EXPECT_EQ(taken({0, 0, 0, 0}), 1 + 4 * 2 * 0.75) << "through the same memory";
}

TEST(Placement, NumbersNodesAsTheyCome) {
  const auto placement = placed_on({30, 10, 30, 20});
  EXPECT_EQ(placement->node(0), 0);
  EXPECT_EQ(placement->node(1), 1);
  EXPECT_EQ(placement->node(2), 0);
  EXPECT_EQ(placement->node(3), 2);
  EXPECT_EQ(placement->nodes(), 3);
  EXPECT_EQ(placement->most_ranks(), 2);
  EXPECT_EQ(placement->fingerprint(), placed_on({1, 2, 1, 3})->fingerprint());
  EXPECT_NE(placement->fingerprint(), placed_on({1, 2, 2, 3})->fingerprint());
}

TEST(Placement, IsNoneWhereEveryRankHasItsNode) {
  EXPECT_EQ(placed_on({1, 2, 3}), nullptr);
  EXPECT_EQ(placed_in_blocks(5, 1), nullptr);
  EXPECT_EQ(placed_in_blocks(5, 2)->nodes(), 3);
  EXPECT_EQ(placed_in_blocks(5, 8)->nodes(), 1);
}

class MachineFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string& holding(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  // The message must say which file, and what would have been accepted.
  void expect_refused(const std::string& path, const std::string& because) {
    try {
      read_machine(path);
      ADD_FAILURE() << "accepted " << path;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("machine file '" + path + "'"));
      EXPECT_THAT(error.what(), HasSubstr(because));
      for (const char* key : {"\"alpha\"", "\"beta\"", "\"gamma\""}) {
        EXPECT_THAT(error.what(), HasSubstr(key));
      }
    }
  }

  std::string path_ = testing::TempDir() + "tutti_machine_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(MachineFile, IsRead) {
  const Machine read = read_machine(holding(R"({"alpha": 2e-5, "beta": 8e-10, "gamma": 0})"));
  EXPECT_EQ(read.alpha, 2e-5);
  EXPECT_EQ(read.beta, 8e-10);
  EXPECT_EQ(read.gamma, 0);
}

TEST_F(MachineFile, MaySayWhatOneWayMessagesCost) {
  const Machine read = read_machine(holding(R"({"f_alpha": 0.5, "f_beta": 0.75})"));
  EXPECT_EQ(read.f_alpha, 0.5);
  EXPECT_EQ(read.f_beta, 0.75);
  EXPECT_EQ(read.alpha, Machine{}.alpha);
  EXPECT_EQ(read_machine(holding("{}")).f_alpha, 1);
  EXPECT_EQ(read_machine(holding("{}")).f_beta, 1);
}

TEST_F(MachineFile, KeepsTheDefaultOfWhatIsMissing) {
  const Machine read = read_machine(holding(R"({"beta": 1})"));
  EXPECT_EQ(read.alpha, Machine{}.alpha);
  EXPECT_EQ(read.beta, 1);
  EXPECT_EQ(read.gamma, Machine{}.gamma);
  EXPECT_EQ(read_machine(holding("{}")).alpha, Machine{}.alpha);
}

TEST_F(MachineFile, MaySayHowNearTheRanksOfANodeAre) {
  const Machine read =
      read_machine(holding(R"({"near": {"alpha": 1, "beta": 2}, "ranks_per_node": 3})"));
  EXPECT_EQ(read.near_alpha, 1);
  EXPECT_EQ(read.near_beta, 2);
  EXPECT_EQ(read.ranks_per_node, 3);
  expect_refused(holding(R"({"near": {"gamma": 1}})"), "unknown parameter 'gamma'");
  expect_refused(holding(R"({"far": {"alpha": 1}})"), "unknown parameter 'far'");
  expect_refused(holding(R"({"ranks_per_node": 0})"), "'ranks_per_node' is below 1");
}

TEST_F(MachineFile, MessagesOverlapUntilTheyWaitForReceivers) {
  EXPECT_EQ(read_machine(holding(R"({"eager": 1000})")).overlap, 1000);
  EXPECT_EQ(read_machine(holding(R"({"eager": 1000, "overlap": 10})")).overlap, 10);
  EXPECT_EQ(read_machine(holding("{}")).overlap, usual_machine().overlap);
}

TEST_F(MachineFile, IsWhatIsWritten) {
  const Machine odd{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  const std::string text = json_of(odd);
  EXPECT_EQ(read_machine(holding(text)), odd);
  EXPECT_EQ(json_of(read_machine(holding(text))), text);
  EXPECT_NE(text, json_of(Machine{}));
}

Machine shipped(const std::string& name) {
  return read_machine(TUTTI_SOURCE_DIR "/../share/tutti/machines/" + name + ".json");
}

TEST_F(MachineFile, ThoseShippedAreRead) {
  for (const char* name : {"eth10g", "edr", "hier16"}) {
    const Machine read = shipped(name);
    EXPECT_GT(read.alpha, read.near_alpha) << name;
    EXPECT_EQ(read.overlap, read.eager) << name;
  }
}

TEST(MachineBy, LatencyAndArithmetic) {
  const Machine usual = usual_machine();
  for (const double latency : {20e-6, 6e-6, 50e-6}) EXPECT_EQ(machine_by(latency, 5e-11), usual);
  EXPECT_FALSE(is_slow(usual));
  EXPECT_TRUE(is_slow(machine_by(60e-6, 5e-11)));
  EXPECT_GT(machine_by(60e-6, 5e-11).fragment, 0);
  EXPECT_LT(machine_by(0, 5e-11).overlap, usual.overlap);
  for (const double latency : {5e-6, 0.5e-6}) {
    Machine simulated = machine_by(latency, 5e-11);
    EXPECT_LT(simulated.in_order, 0) << "nobody knows";
    simulated.in_order = 0;
    EXPECT_EQ(simulated, shipped("edr"));
  }
  EXPECT_EQ(usual.near_together, shipped("hier16").near_together);
  EXPECT_EQ(usual.near_alpha, shipped("hier16").near_alpha);
  for (const double latency : {20e-6, 100e-6}) {
    const Machine simulated = machine_by(latency, 0);
    EXPECT_EQ(simulated.gamma, 0);
    EXPECT_EQ(simulated.in_order, 0) << "known to share";
    EXPECT_EQ(simulated.shared_busy, 0);
  }
  for (const double gamma : {1e-11, 1e-9}) EXPECT_EQ(machine_by(20e-6, gamma), usual);
}

TEST(Simulate, TakesWhatAllRanksShareForEachMessage) {
  const Algorithm& linear = *find_algorithm(Collective::gather, "linear");
  Machine machine = machine_by(100e-6, 5e-11);
  const Call call = call_of_bytes(Collective::gather, 9, 72);
  machine.shared_busy = 0;
  const double apart = simulate(linear, call, machine).seconds;
  machine.shared_busy = apart;
  EXPECT_EQ(simulate(linear, call, machine).seconds, 8 * apart);
  Call on_nodes = call;
  on_nodes.placement = placed_in_blocks(9, 3);
  EXPECT_LT(simulate(linear, on_nodes, machine).seconds, 8 * apart);
}

TEST_F(MachineFile, Missing) { expect_refused("/nonexistent/machine.json", "cannot be read"); }

TEST_F(MachineFile, NoJson) {
  for (const char* text : {"", "{", "alpha = 3", "{\"alpha\": }"}) {
    expect_refused(holding(text), "is not valid");
  }
}

TEST_F(MachineFile, NoNumber) { expect_refused(holding(R"({"alpha": "fast"})"), "is not valid"); }

TEST_F(MachineFile, UnknownParameter) {
  expect_refused(holding(R"({"alpha": 1, "delta": 2})"), "unknown parameter 'delta'");
}

TEST_F(MachineFile, Negative) {
  expect_refused(holding(R"({"gamma": -1e-9})"), "'gamma' is negative");
  expect_refused(holding(R"({"f_beta": -1})"), "'f_beta' is negative");
}

TEST_F(MachineFile, NoObject) {
  for (const char* text : {"[1, 2, 3]", "7", "\"alpha\"", "null", "[]"}) {
    SCOPED_TRACE(text);
    expect_refused(holding(text), "");
  }
}

}  // namespace
}  // namespace tutti
