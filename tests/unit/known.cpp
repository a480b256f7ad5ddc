// What is known of MPI libraries: inside a node, and on slow networks.
#include "select/known.hpp"

#include <gmock/gmock.h>

#include "model/simulate.hpp"
#include "select/select.hpp"
#include "support.hpp"

namespace tutti {
namespace {

using enum Collective;

Call inside_a_node(Collective collective, int p, std::int64_t bytes) {
  Call call = call_of_bytes(collective, p, bytes);
  call.placement = placed_in_blocks(p, p);
  return call;
}

Selector selector_for(Library library, const Machine& machine = usual_machine()) {
  return Selector({}, Policy::model, machine, nullptr, library);
}

TEST(Known, LibrariesByTheirVersions) {
  EXPECT_EQ(library_of("MPICH Version:      4.0.2\n"), Library::mpich);
  EXPECT_EQ(library_of("Open MPI v4.1.4, package: Debian"), Library::openmpi);
  EXPECT_EQ(library_of("SMPI Version 3.32. Copyright The SimGrid Team"), Library::modelled);
  EXPECT_EQ(library_of("MPICH Version:      5.0.2\n"), Library::other);
  EXPECT_EQ(library_of("Open MPI v5.0.11, package: Open MPI"), Library::other);
  EXPECT_EQ(library_of("MPICH Version: unknown"), Library::other);
  EXPECT_EQ(library_of("Intel(R) MPI Library 2021.13"), Library::other);
}

Machine with_memory() {
  Machine machine = usual_machine();
  machine.inside = Inside::memory;
  return machine;
}

bool has_short(Collective collective) {
  const Call call = inside_a_node(collective, 128, 128);
  return known_best(Library::openmpi, call, with_memory()) != "native";
}

// A name that is misspelt would be native for ever.
TEST(Known, NamesAlgorithms) {
  int known = 0;
  for (const Library library : {Library::mpich, Library::openmpi}) {
    for (const CollectiveInfo& each : collectives) {
      for (const int p : {2, 4, 16}) {
        for (const std::int64_t bytes : {8, 512, 4096, 32768, 1 << 20, 1 << 26}) {
          for (const Machine& machine : {usual_machine(), with_memory()}) {
            const Call call = inside_a_node(each.collective, p, bytes);
            const std::string_view name = known_best(library, call, machine);
            ASSERT_FALSE(name.empty());
            if (name == "native") continue;
            ++known;
            const Variant named = parse_variant(each.collective, name);
            ASSERT_NE(named.algorithm, nullptr) << each.name << " " << name;
            EXPECT_TRUE(accepts(*named.algorithm, call)) << each.name << " " << name << " " << p;
            EXPECT_EQ(selector_for(library, machine).choose(call).algorithm, named.algorithm);
          }
        }
      }
    }
  }
  EXPECT_GT(known, 250);
}

TEST(Known, IsMoreWhereTwoRanksShareMemory) {
  const Call call = inside_a_node(exscan, 2, 64);
  EXPECT_EQ(known_best(Library::openmpi, call, usual_machine()), "native");
  EXPECT_EQ(known_best(Library::openmpi, call, with_memory()), "doubling_123");
  EXPECT_EQ(known_best(Library::other, inside_a_node(exscan, 2, 512), with_memory()),
            "doubling_123");
  EXPECT_EQ(known_best(Library::other, inside_a_node(reduce, 2, 65536), with_memory()), "native");
  const Call of_three = inside_a_node(exscan, 3, 16384);
  EXPECT_EQ(known_best(Library::openmpi, of_three, with_memory()), "native");
}

class OfShortMessages : public testing::TestWithParam<std::pair<double, double>> {};

// The table says about what the model would, also where a rank sees sooner or later what another
// has written.
TEST_P(OfShortMessages, WhatIsKnownIsTheModels) {
  const auto [latency, within] = GetParam();
  Machine machine = with_memory();
  machine.memory.latency *= latency;
  const Selector model({}, Policy::model, machine);
  int looked_at = 0;
  for (const CollectiveInfo& each : collectives) {
    for (const int p : {3, 8, 16, as_far_as(48, 16)}) {
      for (const std::int64_t bytes : {8, 64, 512, 4096}) {
        const bool rooted_blocks = each.owns_blocks && each.rooted;
        const Call call = inside_a_node(each.collective, p, bytes * (rooted_blocks ? p : 1));
        const std::string_view name = known_best(Library::mpich, call, with_memory());
        if (name == "native" || !has_short(each.collective)) continue;
        ++looked_at;
        const Variant named = parse_variant(each.collective, name);
        Call with = call;
        with.parameter = named.parameter;
        const double most = each.collective == alltoall ? 1.9 : within;
        EXPECT_LE(model.predicted(*named.algorithm, with), most * model.least(call))
            << each.name << " " << name << ", p = " << p << ", " << bytes << " bytes";
        EXPECT_EQ(known_best(Library::other, call, with_memory()), "native");
      }
    }
  }
  EXPECT_GT(looked_at, 150);
}

INSTANTIATE_TEST_SUITE_P(Latencies, OfShortMessages,
                         testing::Values(std::pair(0.5, 1.4), std::pair(1.0, 1.4),
                                         std::pair(3.0, 1.7)));

TEST(Known, LeavesRanksThatSleepToTheModel) {
  Machine machine = with_memory();
  machine.inside = Inside::crowded;
  for (const Library library : {Library::mpich, Library::openmpi, Library::other}) {
    EXPECT_EQ(known_best(library, inside_a_node(barrier, 8, 0), machine), "");
    const Call long_sum = inside_a_node(reduce_scatter, 8, 1 << 26);
    EXPECT_EQ(known_best(library, long_sum, machine), "native");
    const Call call = inside_a_node(bcast, 8, 1 << 20);
    EXPECT_EQ(selector_for(library, machine).choose(call).algorithm->name, "node_tree");
  }
}

TEST(Known, IsNothingOfWhatWasNotMeasured) {
  const auto is_native = [](const Call& call, Library library = Library::mpich) {
    return selector_for(library).choose(call).algorithm == nullptr;
  };
  const Call measured = inside_a_node(reduce, 16, 1 << 20);
  EXPECT_FALSE(is_native(measured));
  EXPECT_TRUE(is_native(measured, Library::other));
  EXPECT_TRUE(is_native(inside_a_node(reduce, 17, 1 << 20)));
  EXPECT_TRUE(is_native(inside_a_node(alltoallv, 4, 1 << 20)));
  EXPECT_TRUE(is_native(inside_a_node(allgatherv, 5, 1 << 20))) << "an algorithm for even p";
  Call own = measured;
  own.predefined = false;
  EXPECT_TRUE(is_native(own)) << "a user's operator";
  Call ordered = measured;
  ordered.commutative = false;
  EXPECT_TRUE(is_native(ordered));
  Call exchange = inside_a_node(alltoall, 2, 4096);
  EXPECT_FALSE(is_native(exchange));
  exchange.in_place = true;
  EXPECT_TRUE(is_native(exchange));
  Call uneven = inside_a_node(reduce_scatter, 4, 32768);
  EXPECT_FALSE(is_native(uneven));
  uneven.layout = Layout(std::vector<Units>{4090, 2, 2, 2});
  EXPECT_TRUE(is_native(uneven));
}

// One rank may have its data in place, another not.
TEST(Known, IsTheSameOnAllRanks) {
  Call call = inside_a_node(reduce, 4, 1 << 20);
  const Choice elsewhere = selector_for(Library::openmpi).choose(call);
  call.in_place = true;
  EXPECT_EQ(selector_for(Library::openmpi).choose(call).algorithm, elsewhere.algorithm);
}

TEST(Known, NeedsNoAgreementInsideANode) {
  const auto one_node = placed_in_blocks(100, 100), nodes = placed_in_blocks(100, 2);
  const Selector selector = selector_for(Library::openmpi);
  EXPECT_TRUE(selector.wants_agreement(alltoallv, 100));
  EXPECT_TRUE(selector.wants_agreement(alltoallv, 100, nodes));
  EXPECT_FALSE(selector.wants_agreement(alltoallv, 100, one_node));
  EXPECT_TRUE(selector_for(Library::modelled).wants_agreement(alltoallv, 100, one_node));
}

TEST(Known, LeavesAllElseToTheModel) {
  const Machine slow = machine_by(100e-6, 5e-11);
  const Call exchange = call_of_bytes(alltoall, 8, 4096);
  EXPECT_EQ(selector_for(Library::mpich, slow).choose(exchange).algorithm, nullptr);
  EXPECT_NE(selector_for(Library::modelled, slow).choose(exchange).algorithm, nullptr);
  Call shared = call_of_bytes(bcast, 16, 65536);
  EXPECT_NE(selector_for(Library::mpich, slow).choose(shared).algorithm, nullptr);
  shared.placement = placed_in_blocks(16, 4);
  EXPECT_EQ(selector_for(Library::mpich, slow).choose(shared).algorithm, nullptr);
  EXPECT_NE(selector_for(Library::mpich).choose(shared).algorithm, nullptr);
  Call sums = call_of_bytes(reduce_scatter, 8, 1 << 20);
  EXPECT_EQ(selector_for(Library::mpich, slow).choose(sums).algorithm->name, "pairwise");
  sums.commutative = false;
  EXPECT_NE(selector_for(Library::mpich, slow).choose(sums).algorithm, nullptr);
  sums = call_of_bytes(reduce_scatter, 2, 1 << 20);
  EXPECT_EQ(selector_for(Library::mpich, slow).choose(sums).parameter, 1) << "there is one other";
  EXPECT_EQ(known_best(Library::mpich, exchange, usual_machine()), "");
  EXPECT_EQ(known_best(Library::mpich, call_of_bytes(scan, 8, 4096), slow), "");
  EXPECT_EQ(known_best(Library::modelled, inside_a_node(bcast, 8, 8), slow), "");
}

}  // namespace
}  // namespace tutti
