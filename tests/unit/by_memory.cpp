// What the model has messages take that go by the memory of a node, by hand.
#include <gtest/gtest.h>

#include "algorithms/registry.hpp"
#include "model/simulate.hpp"
#include "support.hpp"

namespace tutti {
namespace {

// A byte takes 1 s into a cell and 1 s out of it.
Machine machine_with_memory() {
  return {.alpha = 1e4,
          .beta = 10,
          .gamma = 3,
          .overlap = 64,
          .inside = Inside::memory,
          .memory = {.latency = 100,
                     .entry = 10,
                     .copy = 1,
                     .together = 0,
                     .step = 4,
                     .lent_from = 64,
                     .lending = 50,
                     .lent_copy = 2}};
}

Schedule sends(Units bytes, const std::vector<Rank>& peers) {
  Handwritten schedule;
  Numbers all;
  for (const Rank peer : peers) {
    all.push_back(static_cast<std::uint32_t>(all.size()));
    schedule.send({in(0, bytes)}, peer, 0);
  }
  return schedule.wait_at_end(all);
}
Schedule receives(Units bytes, Rank peer) {
  return Handwritten().recv({out(0, bytes)}, peer, 0).wait_at_end({0});
}

Simulation on_one_node(const std::vector<Schedule>& schedules, const Machine& machine) {
  const auto placement = placed_in_blocks(static_cast<int>(schedules.size()), 16);
  return simulate(schedules, 1, machine, placement.get());
}

// The receiver sees the first 4 bytes at 10 + 4 + 100.
TEST(ByMemory, AShortMessageIsCopiedInAndOut) {
  const Simulation found = on_one_node({sends(8, {1}), receives(8, 0)}, machine_with_memory());
  EXPECT_EQ(found.seconds, 114 + 10 + 8);
  EXPECT_EQ(found.copied, 16);
}

// What is longer than a step is read while the rest is written.
TEST(ByMemory, ReaderAndWriterWorkTogether) {
  Machine machine = machine_with_memory();
  machine.memory.latency = 0;
  const Simulation found = on_one_node({sends(60, {1}), receives(60, 0)}, machine);
  EXPECT_EQ(found.seconds, 10 + 4 + 10 + 60);
  machine.memory.entry = 0;
  EXPECT_EQ(on_one_node({sends(60, {1}), receives(60, 0)}, machine).seconds, 4 + 60);
}

// Its sender knows a latency later.
TEST(ByMemory, ALongMessageIsReadWhereItLies) {
  const Simulation found = on_one_node({sends(100, {1}), receives(100, 0)}, machine_with_memory());
  EXPECT_EQ(found.seconds, 10 + 100 + 10 + 50 + 200 + 100);
  EXPECT_EQ(found.copied, 100);
}

TEST(ByMemory, CellsServeWhereNothingCanBeLent) {
  Machine machine = machine_with_memory();
  machine.memory.lent_from = 0;
  const Simulation found = on_one_node({sends(100, {1}), receives(100, 0)}, machine);
  EXPECT_EQ(found.seconds, 10 + 4 + 100 + 10 + 100);
  EXPECT_EQ(found.copied, 200);
}

// The second reader's entry is written 18 s after the first, and has no copy.
TEST(ByMemory, WhatGoesToSeveralIsWrittenOnce) {
  const Simulation found =
      on_one_node({sends(8, {1, 2}), receives(8, 0), receives(8, 0)}, machine_with_memory());
  EXPECT_EQ(found.copied, 8 + 2 * 8);
  EXPECT_EQ(found.seconds, 18 + 10 + 100 + 10 + 8);
}

// An operand is combined from the cell, and nobody copies it out.
TEST(ByMemory, OperandsAreCombinedWhereTheyLie) {
  Call call = call_of_bytes(Collective::reduce, 2, 8);
  call.placement = placed_in_blocks(2, 2);
  const Algorithm& binomial = *find_algorithm(Collective::reduce, "binomial");
  const Simulation found = simulate(binomial, call, machine_with_memory());
  EXPECT_EQ(found.seconds, 114 + 10 + 8 * 3);
  EXPECT_EQ(found.copied, 8);
}

// Two messages pass at 4 s a byte each: the last step of both is there at 10 + 8 * 4 + 100.
TEST(ByMemory, RanksShareWhatTheNodeCanDo) {
  Machine machine = machine_with_memory();
  machine.memory.together = 2;
  const std::vector<Schedule> pairs{sends(8, {1}), receives(8, 0), sends(8, {3}), receives(8, 2)};
  EXPECT_EQ(on_one_node(pairs, machine).seconds, 142 + 4);
}

TEST(ByMemory, OnlyMessagesOfANodeDo) {
  const auto placement = placed_in_blocks(4, 2);
  const std::vector<Schedule> far{sends(8, {2}), Handwritten(), receives(8, 0), Handwritten()};
  const Simulation found = simulate(far, 1, machine_with_memory(), placement.get());
  EXPECT_GT(found.seconds, 1e4);
  EXPECT_EQ(found.copied, 0);
}

}  // namespace
}  // namespace tutti
