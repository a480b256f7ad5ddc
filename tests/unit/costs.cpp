// Every cost formula against what its schedules really take.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/formula.hpp"
#include "model/simulate.hpp"
#include "support.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

constexpr double rounding = 1e-9;
constexpr int most_ranks = 64;
constexpr Units share = 840;

const Machine round_numbers{.alpha = 1, .beta = 1e-3, .gamma = 3e-4};
const Machine fast_ethernet{.alpha = 20e-6, .beta = 0.8e-9, .gamma = 0.1e-9};

Call call_at(const Algorithm& algorithm, int p) {
  const bool barrier = algorithm.collective == Collective::barrier;
  return {.collective = algorithm.collective, .p = p, .layout = Layout(barrier ? 0 : share * p, p)};
}

// Empty if the formulas agree with the schedules at p; else how they differ.
std::string disagreement(const Algorithm& algorithm, const Simulation& taken, const Call& call,
                         const Machine& machine) {
  const double rounds = Formula(algorithm.rounds)(call.p, call.bytes());
  if (rounds != taken.rounds) {
    return fmt::format("p={}: {} rounds, formula says {}", call.p, taken.rounds, rounds);
  }
  const double cost = Formula(algorithm.cost)(call.p, call.bytes(), machine);
  const bool above = taken.seconds > cost * (1 + rounding);
  const bool below = taken.seconds < cost / algorithm.within * (1 - rounding);
  if (!above && !below) return "";
  return fmt::format("p={}: {} s, formula says {} (within {})", call.p, taken.seconds, cost,
                     algorithm.within);
}

std::vector<std::string> disagreements(const Algorithm& algorithm, int most) {
  std::vector<std::string> all;
  for (int p = 2; p <= most; ++p) {
    const Call call = call_at(algorithm, p);
    const std::vector<Schedule> schedules = build_all(algorithm, call, InPlace::none);
    for (const Machine& machine : {round_numbers, fast_ethernet}) {
      const Simulation taken = simulate(schedules, call.unit_bytes, machine);
      const std::string found = disagreement(algorithm, taken, call, machine);
      if (!found.empty()) all.push_back(found);
    }
  }
  return all;
}

using CostsOf = PerAlgorithm;

TEST_P(CostsOf, AreWhatTheFormulaSays) {
  EXPECT_EQ(disagreements(algorithm(), most_ranks), std::vector<std::string>{});
}

// A bound that is never met, or met with room to spare, would be too loose.
TEST_P(CostsOf, MeetTheBoundSomewhere) {
  double closest = 0;
  for (int p = 2; p <= 16; ++p) {
    const Call call = call_at(algorithm(), p);
    const double cost = Formula(algorithm().cost)(p, call.bytes(), round_numbers);
    if (cost == 0) continue;
    closest = std::max(closest, simulate(algorithm(), call, round_numbers).seconds / cost);
  }
  EXPECT_NEAR(closest, 1, rounding);
}

TEST_P(CostsOf, AreNeverBelowTheLowerBound) {
  for (const Machine& machine : {round_numbers, fast_ethernet}) {
    for (int p = 2; p <= 20; ++p) {
      const Call call = call_at(algorithm(), p);
      const double least = lower_bound(algorithm().collective, p, call.bytes(), machine);
      EXPECT_GE(simulate(algorithm(), call, machine).seconds, least * (1 - rounding)) << "p=" << p;
    }
  }
}

TEST_P(CostsOf, AWrongFormulaIsCaught) {
  constexpr int most = 9;
  const auto complaints = [&](const std::string& rounds, const std::string& cost, double within) {
    Algorithm wrong = algorithm();
    wrong.rounds = rounds;
    wrong.cost = cost;
    wrong.within = within;
    return disagreements(wrong, most).size();
  };
  const std::string rounds(algorithm().rounds), cost(algorithm().cost);
  const double within = algorithm().within;
  EXPECT_EQ(complaints(rounds, cost, within), 0u);
  EXPECT_EQ(complaints("(" + rounds + ") + 1", cost, within), 2 * (most - 1u));
  EXPECT_GT(complaints(rounds, "0.999*(" + cost + ")", within), 0u);
  EXPECT_GT(complaints(rounds, "1.001*(" + cost + ")", 1), 0u);
}

TUTTI_FOR_EVERY_ALGORITHM(CostsOf);

TEST(Costs, CirculantAllreduceSendsTheFewestBytes) {
  const Algorithm* circulant = find_algorithm(Collective::allreduce, "circulant");
  ASSERT_NE(circulant, nullptr);
  for (int p = 2; p <= most_ranks; ++p) {
    const Call call = call_at(*circulant, p);
    const Simulation taken = simulate(*circulant, call, round_numbers);
    EXPECT_EQ(taken.most_sent, 2 * (p - 1) * call.bytes() / p) << "p=" << p;
    EXPECT_EQ(taken.bytes, p * taken.most_sent) << "p=" << p;
  }
}

TEST(Costs, LowerBoundsByHand) {
  const Machine machine{.alpha = 1, .beta = 0.01, .gamma = 0.02};
  EXPECT_EQ(lower_bound(Collective::barrier, 9, 0, machine), 4);
  EXPECT_EQ(lower_bound(Collective::bcast, 9, 100, machine), 4);
  EXPECT_EQ(lower_bound(Collective::bcast, 9, 1000, machine), 10);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::allreduce, 4, 1000, machine), 15);
  EXPECT_EQ(lower_bound(Collective::exscan, 2, 0, machine), 0);
}

TEST(Costs, LowerBoundsAreFormulasForEveryCollective) {
  for (const CollectiveInfo& each : collectives) {
    for (int p = 2; p <= 9; ++p) EXPECT_GE(lower_bound(each.collective, p, 64, {}), 0) << each.name;
    EXPECT_EQ(lower_bound(each.collective, 1, 64, {}), 0) << each.name;
  }
}

}  // namespace
}  // namespace tutti
