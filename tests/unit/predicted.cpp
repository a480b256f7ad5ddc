// What the model predicts: by formula, by simulation where ranks share nodes, from two nodes' ranks
// where those are too many.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "model/simulate.hpp"
#include "select/select.hpp"
#include "support.hpp"

namespace tutti {
namespace {

TEST(Predicted, IsTheFormula) {
  const Selector selector({}, Policy::model, {.alpha = 2, .beta = 0.5, .gamma = 0});
  const Algorithm* ring = find_algorithm(Collective::allgather, "ring");
  ASSERT_NE(ring, nullptr);
  const Algorithm unregistered = *ring;
  for (const Algorithm* each : {ring, &unregistered}) {
    EXPECT_DOUBLE_EQ(selector.predicted(*each, call_of_bytes(Collective::allgather, 4, 40)),
                     3 * 2 + 0.75 * 40 * 0.5);
  }
}

Call on_nodes(Call call, int ranks_per_node) {
  call.placement = placed_in_blocks(call.p, ranks_per_node);
  return call;
}

TEST(Predicted, IsASimulationWhereRanksShareNodes) {
  const Machine machine{.alpha = 10e-6, .beta = 1e-9, .near_alpha = 1e-6, .near_beta = 1e-10};
  const Selector selector({}, Policy::model, machine);
  const Call flat = call_of_bytes(Collective::allgather, 32, 1 << 20);
  const Call shared = on_nodes(flat, 8);
  for (const char* name : {"ring", "circulant"}) {
    const Algorithm& algorithm = *find_algorithm(Collective::allgather, name);
    EXPECT_NEAR(selector.predicted(algorithm, shared), simulate(algorithm, shared, machine).seconds,
                1e-12);
  }
  // Between neighbours one message in eight leaves its node; the others' all share its port.
  EXPECT_EQ(selector.choose(shared).algorithm->name, "neighbour_exchange");
  EXPECT_NE(selector.choose(flat).algorithm->name, "neighbour_exchange");
}

// Between those that are simulated: the smallest and the largest with blocks of about that size.
TEST(Predicted, IsNearASimulationOfAnySize) {
  const Machine machine = usual_machine();
  const Selector selector({}, Policy::model, machine);
  for (const Collective collective : {Collective::allgather, Collective::alltoall}) {
    for (const int bytes : {20'000, 100'000, 300'000, 1'500'000}) {
      Call call = on_nodes(call_of_bytes(collective, 33, bytes), 16);
      const Choice choice = selector.choose(call);
      const Algorithm& algorithm = *choice.algorithm;
      call.parameter = choice.parameter;
      const double simulated = simulate(algorithm, call, machine).seconds;
      EXPECT_NEAR(selector.predicted(algorithm, call), simulated, 0.1 * simulated)
          << full_name(algorithm) << " n=" << bytes;
    }
  }
}

// A layout that comes again is not one of a class: where its blocks lie decides.
TEST(Predicted, OfALayoutThatRecursIsItsOwnSimulation) {
  const Machine machine = usual_machine();
  const Selector selector({}, Policy::model, machine);
  int improved = 0;
  for (const Collective collective : {Collective::allgatherv, Collective::reduce_scatter}) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      std::vector<Units> sizes;
      for (std::uint64_t i = 0; i < 9; ++i) {
        const std::uint64_t mixed = (seed * 1000 + i + 1) * 0x9E3779B97F4A7C15u;
        sizes.push_back(static_cast<Units>(mixed >> 50) * ((mixed >> 20) % 4));
      }
      Call call{.collective = collective, .p = 9, .layout = Layout(sizes)};
      const auto seconds = [&](const Choice& choice) {
        Call settled = call;
        settled.parameter = choice.parameter;
        return simulate(*choice.algorithm, settled, machine).seconds;
      };
      const double of_its_class = seconds(selector.choose(call));
      call.recurs = true;
      const double of_its_own = seconds(selector.choose(call));
      for (const Algorithm* each : algorithms_of(collective)) {
        if (!accepts(*each, call)) continue;
        const double other = seconds({{each, selector.parameter(*each, call)}, ""});
        EXPECT_LE(of_its_own, 1.01 * other) << full_name(*each) << " seed " << seed;
      }
      if (of_its_own < 0.99 * of_its_class) ++improved;
    }
  }
  EXPECT_GT(improved, 0);
}

// Blocks as long as the largest all share the ports of nodes, which the formula does not know.
TEST(Predicted, OfAnExchangeOnNodesIsOfWhatRanksToldEachOther) {
  const Machine machine = usual_machine();
  const Selector selector({}, Policy::model, machine);
  Call call = call_of_bytes(Collective::alltoallv, 64, 1 << 16);
  call.agreed = Agreed{call.n(), 8 * call.layout.largest()};
  const Call shared = on_nodes(call, 16);
  const auto seconds = [&](const char* name) {
    return selector.predicted(*find_algorithm(Collective::alltoallv, name), shared);
  };
  const Algorithm& padded = *find_algorithm(Collective::alltoallv, "padded");
  EXPECT_NEAR(seconds("padded"), simulate(padded, shared, machine).seconds, 1e-12);
  EXPECT_LT(seconds("isend_irecv"), seconds("padded"));
  Call in_place = shared;
  in_place.in_place = true;
  EXPECT_NE(selector.choose(in_place).algorithm, nullptr);
}

// Against the formula's own choice, whose segments are never short.
TEST(Predicted, SegmentsAreAsManyAsASimulationFindsBest) {
  Machine machine = usual_machine();
  machine.overlap = machine.eager;
  const Selector selector({}, Policy::model, machine);
  double most_gained = 1;
  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    const Algorithm& algorithm = *find_algorithm(collective, "circulant");
    for (const int bytes : {1 << 14, 1 << 16, 1 << 18}) {
      Call call = call_of_bytes(collective, 17, bytes);
      const double usual = simulate(algorithm, call, machine).seconds;
      call.parameter = selector.parameter(algorithm, call);
      const double chosen = simulate(algorithm, call, machine).seconds;
      EXPECT_LE(chosen, usual) << to_string(collective) << " n=" << bytes;
      most_gained = std::max(most_gained, usual / chosen);
    }
  }
  EXPECT_GT(most_gained, 1.5);
}

TEST(Predicted, OfAllCallsThatToolsAskFor) {
  const Selector selector;
  for (const int p : {2, 3, as_far_as(16, 8), as_far_as(17, 9)}) {
    for (const Algorithm* each : algorithms()) {
      for (const std::int64_t bytes : {0, 8, 1000, 1 << 16}) {
        const Call call = call_of_bytes(each->collective, p, bytes);
        if (!accepts(*each, call)) continue;
        const double flat = selector.predicted(*each, call);
        EXPECT_GT(flat, 0) << full_name(*each) << " p=" << p << " n=" << bytes;
        EXPECT_GT(selector.predicted(*each, on_nodes(call, 4)), 0) << full_name(*each);
      }
    }
  }
}

TEST(Predicted, OnOneNodeIsOfRanksThatAreNear) {
  const Machine machine = usual_machine();
  const Selector selector({}, Policy::model, machine);
  const Call call = on_nodes(call_of_bytes(Collective::allreduce, 8, 1 << 16), 8);
  for (const Algorithm* each : algorithms_of(Collective::allreduce)) {
    if (!accepts(*each, call)) continue;
    EXPECT_NEAR(selector.predicted(*each, call),
                simulate(
                    *each,
                    [&] {
                      Call settled = call;
                      settled.parameter = selector.parameter(*each, call);
                      return settled;
                    }(),
                    machine)
                    .seconds,
                1e-12)
        << full_name(*each);
  }
}

TEST(Predicted, OfACallWithAParameterIsOfThatParameter) {
  const Algorithm& tree = *find_algorithm(Collective::bcast, "two_tree");
  // A class of its own here: the first question is the one with a parameter.
  Call call = on_nodes(call_of_bytes(Collective::bcast, 12, 1 << 19), 4);
  const Machine machine = usual_machine();
  const Selector selector;
  for (const int parameter : {2, 4}) {
    call.parameter = parameter;
    EXPECT_NEAR(selector.predicted(tree, call), simulate(tree, call, machine).seconds, 1e-12)
        << parameter;
  }
  call.parameter = 0;
  const double open = selector.predicted(tree, call);
  call.parameter = selector.parameter(tree, call);
  EXPECT_EQ(selector.predicted(tree, call), open);
  EXPECT_NEAR(open, simulate(tree, call, machine).seconds, 1e-12);
}

// Too many messages for simulations to be quick: from the ranks of two nodes.
TEST(Predicted, OfManyRanksOnNodesIsGoodEnoughToChooseBy) {
  const Machine machine = machine_by(1.5e-6, 5e-11);
  const Selector selector({}, Policy::model, machine);
  constexpr int p = 192;
  for (const Collective collective :
       {Collective::allgather, Collective::allreduce, Collective::reduce_scatter_block}) {
    for (const std::int64_t bytes : {64, 1 << 14, 1 << 20}) {
      const Call call = on_nodes(call_of_bytes(collective, p, bytes), 16);
      const auto simulated = [&](const Algorithm& algorithm) {
        Call settled = call;
        settled.parameter = selector.parameter(algorithm, call);
        return simulate(algorithm, settled, machine).seconds;
      };
      double best = std::numeric_limits<double>::infinity();
      for (const Algorithm* each : algorithms_of(collective)) {
        if (accepts(*each, call)) best = std::min(best, simulated(*each));
      }
      const Algorithm& chosen = *selector.choose(call).algorithm;
      EXPECT_LE(simulated(chosen), 1.25 * best) << full_name(chosen) << ", " << bytes << " bytes";
    }
  }
}

// Schedules of empty blocks are short, but take as long to write as those of others.
TEST(Predicted, OfEmptyBlocksOfTooManyRanksIsTheFormula) {
  Machine machine = usual_machine();
  machine.overlap = machine.eager;
  const Selector selector({}, Policy::model, machine);
  const auto simulated = [&](int p) {
    Call call{.collective = Collective::alltoallv, .p = p, .layout = Layout(0, p)};
    call.agreed = Agreed{};
    int differ = 0;
    for (const Algorithm* each : algorithms_of(call.collective)) {
      if (!accepts(*each, call)) continue;
      call.parameter = selector.parameter(*each, call);
      differ += selector.predicted(*each, call) != Cost(*each).seconds(call, machine) ? 1 : 0;
    }
    return differ;
  };
  EXPECT_GT(simulated(16), 0);
  EXPECT_EQ(simulated(50'000), 0);
}

// A ring of so many ranks has too many messages even of two nodes: the formula alone is left.
TEST(Predicted, OfTooManyRanksIsTheFormula) {
  const Machine machine = machine_by(1.5e-6, 5e-11);
  const Selector selector({}, Policy::model, machine);
  const Algorithm& ring = *find_algorithm(Collective::allgather, "ring");
  const Call call = on_nodes(call_of_bytes(Collective::allgather, 4096, 1 << 22), 64);
  EXPECT_DOUBLE_EQ(selector.predicted(ring, call), Cost(ring).seconds(call, machine));
  EXPECT_NE(selector.choose(call).algorithm, nullptr);
}

}  // namespace
}  // namespace tutti
