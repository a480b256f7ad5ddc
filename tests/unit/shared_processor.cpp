// Hosts that share one processor, by hand, and where they are no other than a cluster.
#include "interpret/shared_processor.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "algorithms/ranks.hpp"
#include "model/simulate.hpp"
#include "support.hpp"

namespace tutti {
namespace {

using Costs = SharedProcessor::Costs;

double seconds(const std::vector<Schedule>& schedules, const Costs& costs, Units unit = 1) {
  const Machine machine{.alpha = costs.delay, .beta = costs.port, .gamma = 0};
  const auto network = [&](std::size_t ranks, EventQueue& events, Ends& ends) {
    return std::make_unique<SharedProcessor>(ranks, costs, events, ends);
  };
  return simulate(schedules, unit, machine, network).seconds;
}

// 4 bytes keep the processor busy for 4 s at each end, and a port too.
const Costs costs{.port = 1, .delay = 10, .message = 2, .byte = 0.5};

TEST(SharedProcessor, AMessageTakesItTwice) {
  const Schedule send = Handwritten().send({out(0, 4)}, 1, 0).wait_at_end({0});
  const Schedule recv = Handwritten().recv({out(0, 4)}, 0, 0).wait_at_end({0});
  EXPECT_EQ(seconds({send, recv}, costs), 4 + 10 + 4 + 4);
}

// Rank 1's send waits for rank 0's; what rank 0 hears comes 4 s after what rank 1 does, and finds
// the processor free again.
TEST(SharedProcessor, RanksTakeTurns) {
  const auto exchange = [](Rank peer) -> Schedule {
    return Handwritten(4)
        .send({in(0, 4)}, peer, 0)
        .recv({scratch(0, 4)}, peer, 0)
        .wait_at_end({0, 1});
  };
  EXPECT_EQ(seconds({exchange(1), exchange(0)}, costs), 8 + 10 + 4 + 4);
}

// The processor takes no time here, and in the next test.
TEST(SharedProcessor, PortsServeOneAfterTheOther) {
  const Schedule root =
      Handwritten().send({out(0, 4)}, 1, 0).send({out(0, 4)}, 2, 1).wait_at_end({0, 1});
  const Schedule near = Handwritten().recv({out(0, 4)}, 0, 0).wait_at_end({0}).rounds(2);
  const Schedule far = Handwritten().recv({out(0, 4)}, 0, 1).wait_at_end({0});
  EXPECT_EQ(seconds({root, near, far}, {.port = 1, .delay = 10}), 4 + 10 + 4);
}

TEST(SharedProcessor, AReceiverHasOnePort) {
  const Schedule root =
      Handwritten().recv({out(0, 4)}, 1, 0).recv({out(4, 4)}, 2, 0).wait_at_end({0, 1});
  const Schedule send = Handwritten().send({out(0, 4)}, 0, 0).wait_at_end({0});
  EXPECT_EQ(seconds({root, send, send}, {.port = 1, .delay = 10}), 10 + 4 + 4);
}

// What rank 1 sends has come at 14, and is handled until 18; it is asked for only at 22, when the
// other message, which came at 18, has been handled too.
TEST(SharedProcessor, WhatComesEarlyIsKept) {
  const Schedule root =
      Handwritten().recv({out(0, 4)}, 2, 0).recv({out(4, 4)}, 1, 0, {0}).wait_at_end({1});
  const Schedule send = Handwritten().send({out(0, 4)}, 0, 0).wait_at_end({0});
  const Costs no_ports{.port = 0, .delay = 10, .message = 2, .byte = 0.5};
  EXPECT_EQ(seconds({root, send, send}, no_ports), 4 + 10 + 4 + 4);
}

// With a processor that takes no time, ports remain. Where messages overlap in their order, and
// short ones never wait, a cluster has the same.
class FreeProcessor : public testing::TestWithParam<const Algorithm*> {};

TEST_P(FreeProcessor, IsAClusterWhoseMessagesOverlap) {
  constexpr double any = std::numeric_limits<double>::infinity();
  const Algorithm& algorithm = *GetParam();
  const Machine cluster{
      .alpha = 1e-5, .beta = 1e-9, .gamma = 0, .overlap = any, .busy = 0, .in_order = any};
  for (int p = 2; p <= 13; ++p) {
    for (const std::int64_t bytes : {8, 100'000}) {
      Call call = call_of_bytes(algorithm.collective, p, bytes);
      call.exact = true;
      if (!accepts(algorithm, call)) continue;
      call = with_parameter(algorithm, call);
      const auto schedules = build_all(algorithm, call, InPlace::none);
      const double expected = simulate(schedules, call.unit_bytes, cluster).seconds;
      const Costs ports{.port = cluster.beta, .delay = cluster.alpha};
      EXPECT_NEAR(seconds(schedules, ports, call.unit_bytes), expected, 1e-9 * expected)
          << "p = " << p << ", " << bytes << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FreeProcessor,
                         testing::Values(find_algorithm(Collective::barrier, "dissemination"),
                                         find_algorithm(Collective::bcast, "binomial"),
                                         find_algorithm(Collective::bcast, "two_tree_strands"),
                                         find_algorithm(Collective::gather, "linear"),
                                         find_algorithm(Collective::scatter, "postal"),
                                         find_algorithm(Collective::allgather, "bruck"),
                                         find_algorithm(Collective::alltoall, "isend_irecv"),
                                         find_algorithm(Collective::reduce, "rabenseifner"),
                                         find_algorithm(Collective::allreduce, "ring"),
                                         find_algorithm(Collective::scan, "groups")),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace tutti
