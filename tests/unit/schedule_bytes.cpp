// A schedule is kept for every shape of call: for many ranks and long pipelines it fits 4 MiB.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "model/simulate.hpp"
#include "select/select.hpp"

namespace tutti {
namespace {

constexpr int p = 4096;
constexpr std::size_t most = 4 << 20;

std::size_t bytes_kept(const Algorithm& algorithm, const Call& call, Rank me) {
  const Windows parts = windows(algorithm, call);
  const std::size_t each = build(algorithm, parts.each, me).bytes();
  return parts.rest ? each + build(algorithm, *parts.rest, me).bytes() : each;
}

class ScheduleBytes : public testing::TestWithParam<Collective> {};

TEST_P(ScheduleBytes, OfManyRanksAreFew) {
  const Selector selector;
  for (const std::int64_t n : {8, 64 << 10, 4 << 20, 1 << 30}) {
    Call call = call_of_bytes(GetParam(), p, n);
    const Choice choice = selector.choose(call);
    ASSERT_NE(choice.algorithm, nullptr) << n;
    call.parameter = choice.parameter;
    for (const Rank me : std::array{0, 1234, p - 1}) {
      const std::size_t bytes = bytes_kept(*choice.algorithm, call, me);
      EXPECT_GT(bytes, 0u);
      EXPECT_LE(bytes, most) << choice.algorithm->name << " of " << n << " bytes, rank " << me;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ScheduleBytes,
                         testing::Values(Collective::bcast, Collective::reduce,
                                         Collective::allreduce, Collective::gather,
                                         Collective::scatter, Collective::allgather,
                                         Collective::alltoall, Collective::reduce_scatter,
                                         Collective::scan, Collective::exscan),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace tutti
