// Every cost formula against what its schedules really take.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "model/cost.hpp"
#include "model/formula.hpp"
#include "model/simulate.hpp"
#include "support.hpp"
#include "verify/verify.hpp"

namespace tutti {
namespace {

constexpr double rounding = 1e-9;
constexpr int most_ranks = as_far_as(64, 12);
constexpr Units share = 840 * 64;  // blocks of it divide well
constexpr int few = 6;             // segments, and also a radix

const Machine round_numbers{.alpha = 1, .beta = 1e-3, .gamma = 3e-4};
const Machine fast_ethernet{.alpha = 20e-6, .beta = 0.8e-9, .gamma = 0.1e-9};
const Machine much_latency{.alpha = 1, .beta = 1e-9, .gamma = 1e-9};
const Machine slow_reductions{.alpha = 1, .beta = 1e-3, .gamma = 1e-3};
const Machine cheap_one_way{.alpha = 1, .beta = 1e-3, .gamma = 1e-3, .f_alpha = 0.6, .f_beta = 0.7};
const Machine cheap_and_late{
    .alpha = 1, .beta = 1e-9, .gamma = 1e-9, .f_alpha = 0.6, .f_beta = 0.7};
const std::vector<Machine> full_duplex{round_numbers, fast_ethernet, much_latency, slow_reductions,
                                       Machine{}};

bool mentions_one_way(std::string_view formula) { return formula.find("_uni") != formula.npos; }

// Those on which the formula has to hold: if it does not tell messages that go one way from others,
// only where they cost the same.
std::vector<Machine> machines_for(std::string_view formula) {
  std::vector<Machine> machines = full_duplex;
  if (mentions_one_way(formula)) {
    machines.push_back(cheap_one_way);
    machines.push_back(cheap_and_late);
  }
  return machines;
}

// With an irregular all-to-all too, all blocks are equal: every rank's input is laid out as its
// output is.
Call call_at(const Algorithm& algorithm, int p) {
  const bool barrier = algorithm.collective == Collective::barrier;
  Call call{
      .collective = algorithm.collective, .p = p, .layout = Layout(barrier ? 0 : share * p, p)};
  call.parameter = algorithm.parameter.open == Open::nothing ? 0 : few;
  return call;
}

// Without the algorithm's question.
Simulation taken(const Algorithm& algorithm, const Call& call, const Machine& machine) {
  return simulate(build_all(algorithm, call, usual(algorithm)), call.unit_bytes, machine);
}

// Empty if the formulas agree with the schedules at p; else how they differ.
std::string disagreement(const Algorithm& algorithm, const Simulation& taken, const Call& call,
                         const Machine& machine) {
  const double rounds = Formula(algorithm.rounds)(call.p, call.bytes(), {}, call.parameter);
  if (rounds != taken.rounds) {
    return fmt::format("p={}: {} rounds, formula says {}", call.p, taken.rounds, rounds);
  }
  const double cost = Formula(algorithm.cost)(call.p, call.bytes(), machine, call.parameter);
  const bool above = taken.seconds > cost * (1 + rounding);
  const bool below = taken.seconds < cost / algorithm.within * (1 - rounding);
  if (!above && !below) return "";
  return fmt::format("p={}: {} s, formula says {} (within {})", call.p, taken.seconds, cost,
                     algorithm.within);
}

// Both where messages count as long and where none does: exchanges are issued in another order.
std::vector<std::string> disagreements(const Algorithm& algorithm, int most) {
  const Carriage none_long{.long_bytes = std::numeric_limits<Units>::max()};
  std::vector<std::string> all;
  for (const int p : served(algorithm, 2, most)) {
    const Call call = call_at(algorithm, p);
    const InPlace in_place = usual(algorithm);
    const std::vector<Schedule> as_long = build_all(algorithm, call, in_place);
    const std::vector<Schedule> as_short = build_all(algorithm, call, in_place, none_long);
    for (const Machine& machine : machines_for(algorithm.cost)) {
      const auto found = [&](const std::vector<Schedule>& schedules) {
        return disagreement(algorithm, simulate(schedules, call.unit_bytes, machine), call,
                            machine);
      };
      std::string text = found(as_long);
      if (text.empty() && as_short != as_long) text = found(as_short);
      if (!text.empty()) all.push_back(text);
    }
  }
  return all;
}

using CostsOf = PerAlgorithm;

// What serves an irregular collective too takes the same there, as blocks are equal here.
int ranks_for(const Algorithm& algorithm) {
  const CollectiveInfo& about = info(algorithm.collective);
  const Algorithm* same = find_algorithm(about.regular, algorithm.name);
  const bool shared = about.irregular() && same != nullptr && same->write == algorithm.write;
  return shared ? std::min(17, most_ranks) : most_ranks;
}

TEST_P(CostsOf, AreWhatTheFormulaSays) {
  EXPECT_EQ(disagreements(algorithm(), ranks_for(algorithm())), std::vector<std::string>{});
}

TEST(Costs, OfQuestionsAreWhatTheFormulasSay) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->question.about == nullptr) continue;
    const Formula cost(algorithm->question.cost);
    for (const int p : served(*algorithm, 2, most_ranks)) {
      for (const int value : worth_trying(algorithm->parameter.open, p)) {
        Call call = call_at(*algorithm, p);
        call.parameter = value;
        const std::vector<Schedule> schedules = build_all_questions(*algorithm, call);
        for (const Machine& machine : machines_for(algorithm->question.cost)) {
          // A bound: at most a round too many, with all its sizes.
          const double most = cost(p, 0, machine, value) * (1 + rounding);
          const double seconds = simulate(schedules, 8, machine).seconds;
          EXPECT_LE(seconds, most) << full_name(*algorithm) << ", p=" << p << ":" << value;
          EXPECT_GE(seconds, most - machine.alpha - 8 * p * machine.beta)
              << full_name(*algorithm) << ", p=" << p << ":" << value;
        }
      }
    }
  }
}

// Short blocks take the tree, so their cost is not that of the blocks used above.
TEST(Costs, OfShortBlocksOverATree) {
  for (const Collective collective : {Collective::gatherv, Collective::scatterv}) {
    const Algorithm& algorithm = *find_algorithm(collective, "postal");
    const Formula cost(algorithm.cost);
    for (int p = 2; p <= most_ranks; ++p) {
      for (const int radix : worth_trying(Open::radix, p)) {
        const Call call{.collective = collective,
                        .p = p,
                        .layout = Layout(Units{64} * p, p),
                        .parameter = radix};
        const double expected = cost(p, call.bytes(), round_numbers, radix);
        EXPECT_NEAR(taken(algorithm, call, round_numbers).seconds, expected, expected * rounding)
            << full_name(algorithm) << ", p=" << p << ":" << radix;
      }
    }
  }
}

// A bound that is never met, or met with room to spare, would be too loose.
TEST_P(CostsOf, MeetTheBoundSomewhere) {
  double closest = 0;
  for (const int p : served(algorithm(), 2, 16)) {
    const Call call = call_at(algorithm(), p);
    const double cost = Formula(algorithm().cost)(p, call.bytes(), round_numbers, call.parameter);
    if (cost == 0) continue;
    closest = std::max(closest, taken(algorithm(), call, round_numbers).seconds / cost);
  }
  EXPECT_NEAR(closest, 1, rounding);
}

// `within` is as small as it can be, to one decimal.
TEST_P(CostsOf, SayHowTightTheyAre) {
  if (algorithm().within == 1) return;
  Algorithm tighter = algorithm();
  tighter.within -= 0.1;
  EXPECT_THAT(disagreements(tighter, 32), testing::Not(testing::IsEmpty()));
}

TEST_P(CostsOf, AreNeverBelowTheLowerBound) {
  for (const Machine& machine : full_duplex) {
    for (const int p : served(algorithm(), 2, as_far_as(20, 9))) {
      const Call call = call_at(algorithm(), p);
      const double least = lower_bound(algorithm().collective, p, call.bytes(), machine);
      EXPECT_GE(taken(algorithm(), call, machine).seconds, least * (1 - rounding)) << "p=" << p;
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
  EXPECT_EQ(complaints("(" + rounds + ") + 1", cost, within),
            machines_for(cost).size() * served(algorithm(), 2, most).size());
  EXPECT_GT(complaints(rounds, "0.999*(" + cost + ")", within), 0u);
  EXPECT_GT(complaints(rounds, "1.001*(" + cost + ")", 1), 0u);
}

// What the paper says takes, divided by what the formula here does, for each p and machine.
std::vector<double> published_ratios(const Algorithm& algorithm, const std::vector<int>& all_p) {
  const Formula published(algorithm.published), cost(algorithm.cost);
  std::vector<double> ratios;
  for (const int p : all_p) {
    const double bytes = call_at(algorithm, p).bytes();
    for (const Machine& machine : machines_for(algorithm.published)) {
      ratios.push_back(published(p, bytes, machine) / cost(p, bytes, machine));
    }
  }
  return ratios;
}

TEST_P(CostsOf, ThePaperDisagreesWhereItIsSaidTo) {
  EXPECT_EQ(algorithm().published.empty(), algorithm().difference.empty());
  if (algorithm().published.empty()) return;
  const auto as_here = testing::DoubleNear(1, rounding);
  const auto at_powers_of_two = published_ratios(algorithm(), {2, 4, 8, 16, 32, 64});
  const bool said = algorithm().difference.find("for powers of two") != std::string_view::npos;
  if (said) {
    EXPECT_THAT(at_powers_of_two, testing::Each(as_here));
    EXPECT_THAT(published_ratios(algorithm(), {3, 5, 6, 7}),
                testing::Contains(testing::Not(as_here)))
        << "why publish the same formula twice?";
  } else {
    EXPECT_THAT(at_powers_of_two, testing::Contains(testing::Not(as_here)));
  }
}

TEST_P(CostsOf, ThePaperIsAFormulaForEveryP) {
  if (algorithm().published.empty()) return;
  const Formula published(algorithm().published);
  for (int p = 2; p <= most_ranks; ++p) {
    for (const Machine& machine : machines_for(algorithm().published)) {
      const double seconds = published(p, call_at(algorithm(), p).bytes(), machine);
      EXPECT_TRUE(std::isfinite(seconds) && seconds > 0) << "p=" << p << ": " << seconds;
    }
  }
}

TUTTI_FOR_EVERY_ALGORITHM(CostsOf);

// A formula that takes a message that goes one way for one of an exchange is caught.
TEST(Costs, OneWayMessagesAreToldFromExchanges) {
  for (const auto& [collective, name] :
       {std::pair(Collective::gather, "linear"), std::pair(Collective::reduce, "ring"),
        std::pair(Collective::reduce, "rabenseifner")}) {
    Algorithm wrong = *find_algorithm(collective, name);
    wrong.within = 1;  // exact at powers of two
    const Call call = call_at(wrong, 8);
    const Simulation taken = simulate(wrong, call, cheap_one_way);
    EXPECT_EQ(disagreement(wrong, taken, call, cheap_one_way), "");
    std::string cost(wrong.cost);
    for (std::size_t at = cost.find("_uni"); at != cost.npos; at = cost.find("_uni")) {
      cost.erase(at, 4);
    }
    wrong.cost = cost;
    EXPECT_NE(disagreement(wrong, taken, call, cheap_one_way), "") << name;
  }
}

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

// One rank owns all; one has as much as the others together; blocks grow; every third is empty.
std::vector<Layout> unequal_layouts(int p) {
  std::vector<Units> alone(static_cast<std::size_t>(p)), half, growing, gaps;
  alone[static_cast<std::size_t>(p / 2)] = share;
  for (int i = 0; i < p; ++i) {
    half.push_back(i == 0 ? (p - 1) * share : share);
    growing.push_back(i * share);
    gaps.push_back(i % 3 == 1 ? 0 : share);
  }
  return {Layout(alone), Layout(half), Layout(growing), Layout(gaps)};
}

// Where latency is all there is, a short message that comes early takes the port of a longer one.
TEST(Costs, OfUnequalBlocksAreUpperBoundsWhereBytesCount) {
  for (const Algorithm* each : algorithms_of(Collective::allgatherv)) {
    const Cost cost(*each);
    for (int p = 2; p <= as_far_as(20, 8); ++p) {
      if (!fits(*each, p)) continue;
      for (const Layout& layout : unequal_layouts(p)) {
        const Call call{.collective = Collective::allgatherv, .p = p, .layout = layout};
        for (const Machine& machine : {round_numbers, fast_ethernet, Machine{}}) {
          EXPECT_LE(simulate(*each, call, machine).seconds,
                    cost.seconds(call, machine) * (1 + rounding))
              << full_name(*each) << " p=" << p << " n=" << call.n();
        }
      }
    }
  }
}

TEST(Costs, SegmentsSpeedUpABlockThatIsTheWholeMessage) {
  const Algorithm* segmented = find_algorithm(Collective::allgatherv, "circulant_blocks");
  ASSERT_NE(segmented, nullptr);
  for (int p = 4; p <= most_ranks; p += 7) {
    const Call call{.collective = Collective::allgatherv,
                    .p = p,
                    .layout = unequal_layouts(p).front(),
                    .parameter = few};
    const double taken = simulate(*segmented, call, round_numbers).seconds;
    EXPECT_NEAR(taken / Cost(*segmented).seconds(call, round_numbers), 1, rounding) << "p=" << p;
    for (const std::string_view whole : {"ring", "circulant", "bruck"}) {
      const Algorithm* other = find_algorithm(Collective::allgatherv, whole);
      EXPECT_LT(taken, simulate(*other, call, round_numbers).seconds) << whole << " p=" << p;
    }
  }
}

TEST(Costs, SegmentsThatRunAheadArriveInOrder) {
  const Algorithm* chain = find_algorithm(Collective::bcast, "chain");
  ASSERT_NE(chain, nullptr);
  const Call call = call_of_bytes(Collective::bcast, 8, 1 << 20);
  Machine machine{.alpha = 20e-6, .beta = 4e-8, .eager = 65536, .overlap = 65536};
  EXPECT_EQ(Cost(*chain).parameter(call, machine), 16) << "of 64 KiB";
  machine.in_order = 8192;
  EXPECT_EQ(Cost(*chain).parameter(call, machine), 16) << "the best ones are longer than that";
  machine.in_order = 16384;
  EXPECT_EQ(Cost(*chain).parameter(call, machine), 112) << "sqrt((p-2)*n*beta/alpha)";
}

TEST(Costs, SegmentsThatWaitMayBeShort) {
  const Algorithm* pair = find_algorithm(Collective::bcast, "circulant_pair");
  ASSERT_NE(pair, nullptr);
  const Call call = call_of_bytes(Collective::bcast, 33, 1 << 22);
  const Machine machine{.alpha = 20e-6, .beta = 8e-10, .eager = 65536, .overlap = 65536};
  const int most = Cost(*pair).most(call, machine);
  EXPECT_EQ(most, 111) << "n*beta/(1.5*alpha)";
  EXPECT_EQ(Cost(*pair).parameter(call, machine), most) << "64 would be as long as `eager`";
  Call other = call;
  other.parameter = 256;
  EXPECT_EQ(Cost(*pair).parameter(other, machine), 256) << "who wants more gets more";
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
