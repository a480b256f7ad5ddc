// Whether bits depend on where ranks are.
#include "verify/placements.hpp"

#include <gmock/gmock.h>

#include "algorithms/ranks.hpp"
#include "support.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

const Algorithm& named(Collective collective, std::string_view name) {
  return *find_algorithm(collective, name);
}

// Some numbers of ranks tell: what is the same there is so for others.
TEST(Placements, FewRanksTell) {
  for (const Algorithm* each : algorithms()) {
    if (!info(each->collective).reduces) continue;
    for (const Length length : {Length::of_short, Length::of_long}) {
      const auto is_same = [&](const std::vector<int>& ranks) {
        return std::ranges::all_of(
            ranks, [&](int p) { return !fits(*each, p) || same_bits_anywhere(*each, p, length); });
      };
      EXPECT_EQ(is_same({4, 5, 6}), is_same({2, 3, 7, 8, 11})) << full_name(*each);
    }
  }
}

TEST(Placements, OfATreeOfNodesMatter) {
  EXPECT_FALSE(same_bits_anywhere(named(Collective::reduce, "node_tree"), 6, Length::of_short));
  EXPECT_TRUE(same_bits_anywhere(named(Collective::reduce, "binomial"), 6, Length::of_short));
  EXPECT_FALSE(same_bits_anywhere(named(Collective::reduce, "binomial"), 6, Length::of_long));
  EXPECT_TRUE(same_bits_anywhere(named(Collective::scan, "chain"), 6, Length::of_long));
}

// Long allreduces count ranks one node after the other, where the operator commutes.
TEST(Placements, OfRanksThatAreNotInBlocksMatterForLongMessages) {
  const Algorithm& algorithm = named(Collective::allreduce, "recursive_doubling");
  Call call{.collective = Collective::allreduce, .p = 6, .layout = Layout(12, 6), .exact = false};
  const auto result = [&] {
    return fingerprint_of_results(call, InPlace::none, build_all(algorithm, call, InPlace::none));
  };
  const std::uint64_t short_one = result();
  call.placement = placed_on({0, 1, 0, 1, 0, 1});
  EXPECT_EQ(result(), short_one);
  call.unit_bytes = 1 << 20;
  EXPECT_NE(result(), short_one);
  call.placement = placed_in_blocks(6, 3);
  EXPECT_EQ(result(), short_one);
  call.placement = placed_on({0, 1, 0, 1, 0, 1});
  call.commutative = false;
  EXPECT_EQ(result(), short_one);
}

TEST(Placements, DoNotMatterForExactArithmetic) {
  EXPECT_TRUE(same_bits_anywhere(named(Collective::allreduce, "census"), 6, Length::of_long));
}

}  // namespace
}  // namespace tutti
