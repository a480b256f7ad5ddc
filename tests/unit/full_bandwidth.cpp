// What pipelines are for: 64 MB at nearly the network's bandwidth (Sanders2007), for any p.
#include <gtest/gtest.h>

#include "algorithms/registry.hpp"
#include "model/cost.hpp"
#include "model/simulate.hpp"

namespace tutti {
namespace {

constexpr Machine myrinet{.alpha = 10e-6, .beta = 4e-9, .gamma = 0};
constexpr Machine slow_arithmetic{.alpha = 10e-6, .beta = 4e-9, .gamma = 4e-9};
constexpr Units n = 64 << 20;

// The time of the call, with the segments the model chooses, in times of n*beta.
double relative_time(Collective collective, const char* name, int p, const Machine& machine) {
  const Algorithm& algorithm = *find_algorithm(collective, name);
  const Call open{.collective = collective, .p = p, .layout = Layout(n, p)};
  const Call call = settled(algorithm, open, machine);
  return simulate(algorithm, call, machine).seconds / (static_cast<double>(n) * machine.beta);
}

class FullBandwidth : public testing::TestWithParam<int> {};

TEST_P(FullBandwidth, BroadcastAndReduction) {
  for (const char* name : {"two_tree", "circulant"}) {
    EXPECT_LE(relative_time(Collective::bcast, name, GetParam(), myrinet), 1.1) << name;
    EXPECT_LE(relative_time(Collective::reduce, name, GetParam(), myrinet), 1.1) << name;
  }
}

TEST_P(FullBandwidth, ReductionEvenIfArithmeticTakesAsLongAsMessages) {
  EXPECT_LE(relative_time(Collective::reduce, "circulant_turns", GetParam(), slow_arithmetic), 1.1);
}

TEST_P(FullBandwidth, ScanHalf) {
  EXPECT_LE(relative_time(Collective::scan, "two_tree", GetParam(), myrinet), 2.2);
}

TEST_P(FullBandwidth, AllreduceHalf) {
  const double p = GetParam();
  const double least = 2 * (p - 1) / p;
  EXPECT_LE(relative_time(Collective::allreduce, "circulant", GetParam(), myrinet), 1.02 * least);
}

INSTANTIATE_TEST_SUITE_P(Ranks, FullBandwidth, testing::Values(10, 33, 100));

}  // namespace
}  // namespace tutti
