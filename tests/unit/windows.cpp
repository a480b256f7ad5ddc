#include <gtest/gtest.h>

#include "algorithms/registry.hpp"

namespace tutti {
namespace {

Call bcast(Units n, int segments) {
  return {.collective = Collective::bcast, .p = 5, .layout = Layout(n, 5), .parameter = segments};
}

TEST(Windows, AShortPipelineIsOne) {
  const Windows all = windows(*find_algorithm(Collective::bcast, "chain"), bcast(5000, 1000));
  EXPECT_EQ(all.count, 1);
  EXPECT_EQ(all.each.n(), 5000);
  EXPECT_EQ(all.each.parameter, 1000);
  EXPECT_FALSE(all.rest);
}

TEST(Windows, CoverTheMessageInSegmentsOfTheSameSize) {
  for (Units n : {Units{1000000}, Units{1000003}, Units{9999999999}}) {
    const Windows all = windows(*find_algorithm(Collective::bcast, "chain"), bcast(n, 1'000'000));
    EXPECT_EQ(all.count * all.each.n() + (all.rest ? all.rest->n() : 0), n);
    EXPECT_LE(all.each.parameter, 1024);
    EXPECT_GE(all.count * all.each.parameter + (all.rest ? all.rest->parameter : 0), 1'000'000);
    if (all.rest) {
      EXPECT_LT(all.rest->n(), all.each.n());
    }
  }
}

TEST(Windows, DoNotCutOperandsThatStayWhole) {
  Call call{.collective = Collective::reduce,
            .p = 5,
            .layout = Layout(1'000'000, 5),
            .parameter = 10'000};
  const Algorithm& chain = *find_algorithm(Collective::reduce, "chain");
  EXPECT_GT(windows(chain, call).count, 1);
  call.whole_operands = true;
  EXPECT_EQ(windows(chain, call).count, 1);
  EXPECT_EQ(with_parameter(chain, call).parameter, 1);
}

TEST(Windows, BoundTheScratchOfReductions) {
  const Call call{.collective = Collective::allreduce,
                  .p = 5,
                  .layout = Layout(100'000'001, 5),
                  .unit_bytes = 8};
  for (const char* name : {"binary_blocks", "ring", "recursive_doubling"}) {
    const Windows all = windows(*find_algorithm(Collective::allreduce, name), call);
    EXPECT_LE(all.each.n() * 8, 32 << 20) << name;
    EXPECT_EQ(all.count * all.each.n() + (all.rest ? all.rest->n() : 0), call.n()) << name;
  }
}

TEST(Windows, ARadixIsNoPipeline) {
  const Call call{.collective = Collective::alltoall,
                  .p = 5000,
                  .layout = Layout(5000, 5000),
                  .parameter = 2000};
  EXPECT_EQ(windows(*find_algorithm(Collective::alltoall, "bruck_radix"), call).count, 1);
}

}  // namespace
}  // namespace tutti
