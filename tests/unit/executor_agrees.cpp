// The independent oracle: every algorithm run on real values, and the verifier's judgement of
// damaged schedules against what really comes out.
#include "promises.hpp"
#include "support.hpp"
#include "verify/mutate.hpp"

namespace tutti {
namespace {

constexpr int most_ranks = as_far_as(24, 9);

struct Setting {
  Call call;
  InPlace in_place;

  std::string text() const {
    return "p=" + std::to_string(call.p) + " n=" + std::to_string(call.n()) +
           " root=" + std::to_string(call.root) + (call.exchange ? " exchange" : "") +
           " in place " + std::to_string(static_cast<int>(in_place)) +
           (call.commutative ? "" : " non-commutative");
  }
};

std::vector<Layout> layouts(Collective collective, int p) {
  if (collective == Collective::barrier) return {Layout(0, p)};
  const bool few = p > 12;
  std::vector<Layout> result;
  if (info(collective).owns_blocks) {
    for (const Units block : {0, 1, 3}) {
      if (few && block == 1) continue;
      result.emplace_back(block * p, p);
    }
  } else {
    for (const int n : {p + 1, p - 1, 1, 0, 31}) {
      if (!few || n == 1 || n == p + 1) result.emplace_back(n, p);
    }
  }
  if (info(collective).irregular() && info(collective).regular != Collective::alltoall) {
    std::vector<Units> uneven, single(static_cast<std::size_t>(p));
    for (int i = 0; i < p; ++i) uneven.push_back((i * 5 + 2) % 4);
    single[static_cast<std::size_t>(p / 3)] = 7;
    result.emplace_back(uneven);
    result.emplace_back(single);
  }
  return result;
}

// What ranks send each other: nothing, a little, more; all from one rank; all to one. As much as
// they get if they exchange in place.
std::vector<std::shared_ptr<const Exchange>> uneven_exchanges(int p, bool symmetric) {
  std::vector<Units> mixed, from_one, to_one;
  for (int from = 0; from < p; ++from) {
    for (int to = 0; to < p; ++to) {
      const int one = symmetric ? std::min(from, to) : from;
      const int other = symmetric ? std::max(from, to) : to;
      mixed.push_back((3 * one + other + one * other) % 4);
      from_one.push_back(one == 0 ? 1 + other % 3 : 0);
      to_one.push_back(other == p - 1 ? 1 + one % 3 : 0);
    }
  }
  return {std::make_shared<Exchange>(p, mixed), std::make_shared<Exchange>(p, from_one),
          std::make_shared<Exchange>(p, to_one)};
}

bool is_irregular_exchange(const CollectiveInfo& about) {
  return about.irregular() && about.regular == Collective::alltoall;
}

std::vector<Setting> settings(const Algorithm& algorithm, int p) {
  const CollectiveInfo& about = info(algorithm.collective);
  std::vector<Setting> result;
  if (!fits(algorithm, p)) return result;
  for (const InPlace in_place : {InPlace::none, InPlace::all}) {
    const bool possible = in_place == InPlace::all || !only_in_place(algorithm);
    if (!is_irregular_exchange(about) || !possible) continue;
    for (const auto& exchange : uneven_exchanges(p, in_place == InPlace::all)) {
      result.push_back(
          {{.collective = algorithm.collective, .p = p, .layout = {}, .exchange = exchange},
           in_place});
    }
  }
  for (const Layout& layout : layouts(algorithm.collective, p)) {
    for (Rank root = 0; root < (about.rooted ? p : 1); root += p < 7 ? 1 : p / 3) {
      for (const InPlace in_place : {InPlace::none, InPlace::all, InPlace::odd_ranks}) {
        for (const bool commutative : {true, false}) {
          const Call call{.collective = algorithm.collective,
                          .p = p,
                          .root = root,
                          .layout = layout,
                          .commutative = commutative};
          const bool in_order = commutative || (about.reduces && !algorithm.requires_.commutative);
          const bool possible = in_order && (in_place == InPlace::all || !only_in_place(algorithm));
          if (possible && allowed(call.collective, in_place)) result.push_back({call, in_place});
        }
      }
    }
  }
  return result;
}

using ExecutorAgrees = PerAlgorithm;

// Messages of all ranks, or of every other one, may be read where they lie.
Carriage readable(std::uint64_t seed) {
  if (seed % 2 == 0) return {.readable = [](Rank) { return true; }};
  return {.readable = [](Rank peer) { return peer % 2 == 0; }};
}

TEST_P(ExecutorAgrees, EveryOutputIsWhatTheCollectivePromises) {
  std::uint64_t seed = 0;
  for (int p = 1; p <= most_ranks; ++p) {
    for (const Setting& each : settings(algorithm(), p)) {
      ++seed;
      const auto complaint = [&](const Carriage& carriage) {
        return oracle::complaint(each.call, each.in_place,
                                 build_all(algorithm(), each.call, each.in_place, carriage), seed);
      };
      ASSERT_EQ(complaint({}), "") << each.text() << " seed=" << seed;
      if (!info(algorithm().collective).reduces) continue;
      ASSERT_EQ(complaint(readable(seed)), "") << each.text() << ", readable, seed=" << seed;
    }
  }
}

// Counts the mutants that really go wrong; each of them must have been rejected.
int wrong_mutants(const Algorithm& algorithm, const Setting& setting, std::mt19937_64& random) {
  const std::vector<Schedule> right =
      build_all(algorithm, setting.call, setting.in_place,
                random() % 2 == 0 ? Carriage{} : readable(random()));
  int wrong = 0;
  for (const Mutation mutation : mutations) {
    const std::optional<Mutant> mutant = mutate(right, mutation, random);
    if (!mutant) continue;
    std::vector<Schedule> damaged = right;
    damaged[static_cast<std::size_t>(mutant->rank)] = mutant->schedule;
    const std::string happened =
        oracle::complaint(setting.call, setting.in_place, damaged, random());
    if (happened.empty()) continue;
    ++wrong;
    EXPECT_NE(verify(setting.call, setting.in_place, damaged), "")
        << setting.text() << ", " << mutant->what << ": " << happened;
  }
  return wrong;
}

TEST_P(ExecutorAgrees, WhatGoesWrongWasRejected) {
  constexpr std::uint64_t seed = 2005;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (const int p : {2, 3, 5, 6, 8, 9}) {
    for (const Setting& each : settings(algorithm(), p)) {
      wrong += wrong_mutants(algorithm(), each, random);
    }
  }
  const bool only_signals = algorithm().collective == Collective::barrier;
  EXPECT_GT(wrong, only_signals ? 5 : 40) << "too few mutants go wrong to say anything";
}

TUTTI_FOR_EVERY_ALGORITHM(ExecutorAgrees);

// Nobody leaves a barrier that one rank has not come to.
std::string left_early(const std::vector<Schedule>& schedules) {
  const int p = static_cast<int>(schedules.size());
  const Call call{.collective = Collective::barrier, .p = p, .layout = Layout(0, p)};
  for (Rank late = 0; late < p; ++late) {
    oracle::Executor executor(schedules, oracle::before(call, InPlace::none),
                              {.always_eager = true, .held_up = late});
    executor.run();
    for (Rank r = 0; r < p; ++r) {
      if (executor.finished(r)) return std::to_string(r) + " left before " + std::to_string(late);
    }
  }
  return "";
}

TEST(ExecutorBarrier, NobodyLeavesBeforeTheLastHasArrived) {
  for (const Algorithm* algorithm : algorithms_of(Collective::barrier)) {
    for (int p = 2; p <= most_ranks; ++p) {
      const Call call{.collective = Collective::barrier, .p = p, .layout = Layout(0, p)};
      EXPECT_EQ(left_early(build_all(*algorithm, call, InPlace::none)), "")
          << full_name(*algorithm) << " p=" << p;
    }
  }
}

TEST(ExecutorBarrier, AnEarlyLeaverIsSeen) {
  const auto one_round = [](Rank me) -> Schedule {
    return Handwritten().recv({}, (me + 2) % 3, 0).send({}, (me + 1) % 3, 0).wait_at_end({0, 1});
  };
  EXPECT_NE(left_early({one_round(0), one_round(1), one_round(2)}), "");
}

// The oracle itself: wrong schedules give wrong results.
TEST(Executor, SeesAWrongResult) {
  const Call call{.collective = Collective::bcast, .p = 2, .layout = Layout(4, 2)};
  const Schedule send = Handwritten().send({out(0, 4)}, 1, 0).wait_at_end({0});
  const Schedule recv = Handwritten().recv({out(0, 4)}, 0, 0).wait_at_end({0});
  const Schedule turned = Handwritten().recv({out(2, 2), out(0, 2)}, 0, 0).wait_at_end({0});
  const auto complaint = [&](const Schedule& second) {
    return oracle::complaint(call, InPlace::none, {send, second}, 1);
  };
  EXPECT_EQ(complaint(recv), "");
  EXPECT_EQ(complaint(turned), "rank 1: out[0] is A2, not A0");
  EXPECT_NE(complaint(Schedule{}), "");
}

// Without waits, some order of events lets a step read what has not arrived.
TEST(Executor, SeesARace) {
  const Call call{.collective = Collective::exscan, .p = 2, .layout = Layout(1, 2)};
  const Schedule first = Handwritten().send({in(0, 1)}, 1, 0).wait_at_end({0});
  const Schedule second =
      Handwritten(1).recv({scratch(0, 1)}, 0, 0).copy(scratch(0, 1), out(0, 1)).wait_at_end({0});
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    wrong += !oracle::complaint(call, InPlace::none, {first, second}, seed).empty();
  }
  EXPECT_GT(wrong, 10);
}

}  // namespace
}  // namespace tutti
