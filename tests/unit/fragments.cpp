// Schedules whose messages go in fragments.
#include "passes/fragments.hpp"

#include <limits>

#include "algorithms/registry.hpp"
#include "passes/receives.hpp"
#include "support.hpp"
#include "verify/campaign.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

TEST(Fragments, AreAsFewAndAsEqualAsTheirLengthAllows) {
  EXPECT_EQ(fragments_of(16, 16, 128), 1);
  EXPECT_EQ(fragments_of(17, 16, 128), 2);
  EXPECT_EQ(fragments_of(0, 16, 128), 1);
  EXPECT_EQ(fragments_of(16 * 128, 16, 128), 128);
  EXPECT_EQ(fragments_of(16 * 128 + 1, 16, 128), 1) << "too many: whole";
}

TEST(Fragments, AreFewerTheMoreRanksThereAre) {
  EXPECT_EQ(most_fragments(2), 128);
  EXPECT_EQ(most_fragments(4096), 4);
  EXPECT_EQ(most_fragments(100000), 1);
}

TEST(Fragments, TakeTheirPartsOfTheMessageInItsOrder) {
  ScheduleBuilder builder(2, 0);
  Round first = builder.round();
  first.send(Slices{{Buffer::in, 0, 3}, {Buffer::in, 10, 4}}, 1);
  first.recv(Slice{Buffer::out, 0, 2}, 1);
  builder.round().send(Slice{Buffer::out, 0, 2}, 1);
  const Schedule whole = hoist_receives(std::move(builder).finish());
  const auto in_three = [](Rank, Units units) { return units == 7 ? 3 : 1; };
  const Schedule cut = in_fragments(whole, in_three);

  std::vector<Slices> sent;
  std::vector<int> tags;
  for (std::size_t i = 0; i < cut.steps.size(); ++i) {
    if (cut.steps[i].kind != Kind::send) continue;
    sent.push_back(slices_of(cut, i));
    tags.push_back(cut.steps[i].tag);
  }
  const std::vector<Slices> wanted{{{Buffer::in, 0, 2}},
                                   {{Buffer::in, 2, 1}, {Buffer::in, 10, 1}},
                                   {{Buffer::in, 11, 3}},
                                   {{Buffer::out, 0, 2}}};
  EXPECT_EQ(sent, wanted);
  EXPECT_EQ(tags, (std::vector{0, 1, 2, 3}));
  // The last send keeps the pace: it waits for all three, and for what it sends.
  EXPECT_EQ(waits_of(cut, static_cast<std::uint32_t>(cut.steps.size() - 1)).size(), 4u);
}

TEST(Fragments, OfOneAreTheScheduleItself) {
  for (const Algorithm* algorithm : algorithms()) {
    const Case some = cases(*algorithm, 4).back();
    for (const Schedule& whole : build_all(*algorithm, some.call, some.in_place)) {
      const Schedule same = in_fragments(whole, [](Rank, Units) { return 1; });
      EXPECT_EQ(to_string(same), to_string(whole)) << algorithm->name;
      for (std::size_t i = 0; i < whole.steps.size(); ++i) {
        EXPECT_EQ(same.steps[i].tag, whole.steps[i].tag) << algorithm->name << ", step " << i;
        EXPECT_EQ(same.steps[i].slot, whole.steps[i].slot) << algorithm->name << ", step " << i;
      }
    }
  }
}

using FragmentsOf = PerAlgorithm;

constexpr Units never = std::numeric_limits<Units>::max();

// By turns of a length that cuts all messages, and of one that cuts some.
TEST_P(FragmentsOf, EveryMessageGiveWhatIsPromised) {
  bool is_cut = false, cuts_all = false;
  for (const int p : {3, 4}) {
    if (!fits(algorithm(), p)) continue;
    for (const Case& each : cases(algorithm(), p)) {
      cuts_all = !cuts_all;
      const auto count = [&](Rank, Units units) {
        const int fragments = fragments_of(units, cuts_all ? 1 : 3, 128);
        is_cut |= fragments > 1;
        return fragments;
      };
      std::vector<Schedule> schedules =
          build_all(algorithm(), each.call, each.in_place, {.long_bytes = never});
      for (Schedule& schedule : schedules) schedule = in_fragments(schedule, count);
      ASSERT_EQ(verify(each.call, each.in_place, schedules), "")
          << to_string(each) << ", of " << (cuts_all ? 1 : 3);
    }
  }
  EXPECT_EQ(is_cut, algorithm().collective != Collective::barrier);
}

TUTTI_FOR_EVERY_ALGORITHM(FragmentsOf);
}  // namespace
}  // namespace tutti
