// Where the data of a call lie: every collective at p = 5, against values written out by hand.
//
// Blocks that ranks own have 3 units each (n = 15); a message nobody owns blocks of has n = 12, cut
// into 3, 3, 2, 2, 2. The root is rank 3, so virtual ranks 0..4 are ranks 3, 4, 0, 1, 2. Irregular
// collectives have blocks of 4, 0, 3, 1, 2 units (n = 10); in an all-to-all these come in, and 1,
// 5, 0, 2, 3 go out.
#include <algorithm>
#include <ostream>

#include "support.hpp"

namespace tutti {

static void PrintTo(const Slice& slice, std::ostream* os) {
  *os << to_string(slice.buffer) << "[" << slice.offset << ", " << slice.end() << ")";
}

namespace {

constexpr Rank root = 3;

Call call_of(Collective collective, bool in_place = false, bool commutative = true) {
  Layout layout(info(collective).owns_blocks ? 15 : 12, 5);
  if (info(collective).irregular()) layout = Layout(std::vector<Units>{4, 0, 3, 1, 2});
  if (collective == Collective::barrier) layout = Layout(0, 5);
  Call call{.collective = collective,
            .p = 5,
            .root = root,
            .layout = layout,
            .commutative = commutative,
            .in_place = in_place};
  const bool sends = collective == Collective::alltoallv || collective == Collective::alltoallw;
  if (sends) call.sends = in_place ? layout : Layout(std::vector<Units>{1, 5, 0, 2, 3});
  return call;
}

struct Row {
  Collective collective;
  bool in_place;
  Rank me;  // virtual
  Slice input, output;
  Units input_units, output_units;
};

using enum Collective;

const std::vector<Row> rows{
    {barrier, false, 1, in(0, 0), out(0, 0), 0, 0},
    {bcast, false, 0, out(0, 12), out(0, 12), 0, 12},
    {bcast, false, 2, out(0, 0), out(0, 12), 0, 12},
    {gather, false, 0, in(0, 3), out(0, 15), 3, 15},
    {gather, true, 0, out(9, 3), out(0, 15), 0, 15},
    {gather, false, 2, in(0, 3), out(0, 0), 3, 0},
    {gatherv, false, 0, in(0, 1), out(0, 10), 1, 10},
    {gatherv, true, 0, out(7, 1), out(0, 10), 0, 10},
    {gatherv, false, 2, in(0, 4), out(0, 0), 4, 0},
    {gatherv, false, 3, in(0, 0), out(0, 0), 0, 0},
    {scatter, false, 0, in(0, 15), out(0, 3), 15, 3},
    {scatter, true, 0, in(0, 15), in(9, 3), 15, 0},
    {scatter, false, 2, in(0, 0), out(0, 3), 0, 3},
    {scatterv, false, 0, in(0, 10), out(0, 1), 10, 1},
    {scatterv, true, 0, in(0, 10), in(7, 1), 10, 0},
    {scatterv, false, 4, in(0, 0), out(0, 3), 0, 3},
    {allgather, false, 1, in(0, 3), out(0, 15), 3, 15},
    {allgather, true, 1, out(3, 3), out(0, 15), 0, 15},
    {allgatherv, false, 2, in(0, 3), out(0, 10), 3, 10},
    {allgatherv, true, 2, out(4, 3), out(0, 10), 0, 10},
    {allgatherv, false, 1, in(0, 0), out(0, 10), 0, 10},
    {alltoall, false, 1, in(0, 15), out(0, 15), 15, 15},
    {alltoall, true, 1, out(0, 15), out(0, 15), 0, 15},
    {alltoallv, false, 1, in(0, 11), out(0, 10), 11, 10},
    {alltoallv, true, 1, out(0, 10), out(0, 10), 0, 10},
    {alltoallw, false, 4, in(0, 11), out(0, 10), 11, 10},
    {alltoallw, true, 4, out(0, 10), out(0, 10), 0, 10},
    {reduce, false, 0, in(0, 12), out(0, 12), 12, 12},
    {reduce, true, 0, out(0, 12), out(0, 12), 0, 12},
    {reduce, false, 2, in(0, 12), out(0, 0), 12, 0},
    {allreduce, false, 4, in(0, 12), out(0, 12), 12, 12},
    {allreduce, true, 4, out(0, 12), out(0, 12), 0, 12},
    {reduce_scatter_block, false, 1, in(0, 15), out(0, 3), 15, 3},
    {reduce_scatter_block, true, 1, out(0, 15), out(0, 3), 0, 15},
    {reduce_scatter, false, 0, in(0, 10), out(0, 4), 10, 4},
    {reduce_scatter, false, 1, in(0, 10), out(0, 0), 10, 0},
    {reduce_scatter, true, 4, out(0, 10), out(0, 2), 0, 10},
    {scan, false, 2, in(0, 12), out(0, 12), 12, 12},
    {scan, true, 2, out(0, 12), out(0, 12), 0, 12},
    {exscan, false, 2, in(0, 12), out(0, 12), 12, 12},
    {exscan, true, 2, out(0, 12), out(0, 12), 0, 12},
};

TEST(Call, WhereInputAndOutputAre) {
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(to_string(row.collective)) + (row.in_place ? " in place" : "") +
                 " virtual rank " + std::to_string(row.me));
    const Call call = call_of(row.collective, row.in_place);
    EXPECT_EQ(call.input(row.me), row.input);
    EXPECT_EQ(call.output(row.me), row.output);
    EXPECT_EQ(call.input_units(row.me), row.input_units);
    EXPECT_EQ(call.output_units(row.me), row.output_units);
  }
}

TEST(Call, RowsCoverEveryCollective) {
  for (const CollectiveInfo& each : collectives) {
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const Row& row) {
      return row.collective == each.collective;
    })) << each.name;
  }
}

TEST(Call, VirtualRanksOfARootedCallStartAtTheRoot) {
  for (const Collective collective : {gather, gatherv, scatterv}) {
    const Call call = call_of(collective);
    EXPECT_EQ(call.origin(), 3);
    EXPECT_EQ(call.virtual_root(), 0);
    EXPECT_EQ(call.virtual_rank(3), 0);
    EXPECT_EQ(call.virtual_rank(4), 1);
    EXPECT_EQ(call.virtual_rank(0), 2);
    EXPECT_EQ(call.virtual_rank(2), 4);
  }
}

TEST(Call, OthersAreNumberedAsInTheCommunicator) {
  for (const Collective collective :
       {barrier, allgather, allgatherv, alltoall, alltoallv, alltoallw, allreduce, scan}) {
    EXPECT_EQ(call_of(collective).origin(), 0);
    EXPECT_EQ(call_of(collective).virtual_rank(4), 4);
  }
}

TEST(Call, AnOrderedReductionKeepsTheOrderOfTheCommunicator) {
  const Call call = call_of(reduce, false, false);
  EXPECT_EQ(call.origin(), 0);
  EXPECT_EQ(call.virtual_root(), 3);
  EXPECT_EQ(call.output(3), out(0, 12));
  EXPECT_EQ(call.output(0), out(0, 0));
}

TEST(Call, WhoHasAnOutput) {
  for (const CollectiveInfo& each : collectives) {
    const bool only_root =
        each.collective == gather || each.collective == gatherv || each.collective == reduce;
    for (Rank me = 0; me < 5; ++me) {
      EXPECT_EQ(call_of(each.collective).has_output(me), !only_root || me == 0) << each.name;
    }
  }
}

TEST(CallBlocks, AreNumberedByVirtualRankWhereRanksOwnThem) {
  const Call call = call_of(gather);
  EXPECT_EQ(call.output_block(0), out(9, 3));
  EXPECT_EQ(call.output_block(1), out(12, 3));
  EXPECT_EQ(call.output_block(2), out(0, 3));
  EXPECT_EQ(call.output_blocks(0, 2), Slices{out(9, 6)});
  EXPECT_EQ(call.output_blocks(1, 3), (Slices{out(12, 3), out(0, 6)}));
  EXPECT_EQ(call.output_blocks(2, 3), Slices{out(0, 9)});
}

TEST(CallBlocks, AreNumberedFromZeroWhereNobodyOwnsThem) {
  const Call call = call_of(bcast);
  EXPECT_EQ(call.output_block(0), out(0, 3));
  EXPECT_EQ(call.output_block(3), out(8, 2));
  EXPECT_EQ(call.output_blocks(3, 4), (Slices{out(8, 4), out(0, 6)}));
  EXPECT_EQ(call.block_size(1), 3);
  EXPECT_EQ(call.block_size(2), 2);
  EXPECT_EQ(call.blocks_size(3, 4), 10);
}

TEST(CallBlocks, WrapAroundInBothDirections) {
  const Call call = call_of(allgather);
  EXPECT_EQ(call.output_block(-1), out(12, 3));
  EXPECT_EQ(call.output_block(-5), out(0, 3));
  EXPECT_EQ(call.output_block(6), out(3, 3));
  EXPECT_EQ(call.block_size(-7), 3);
  EXPECT_EQ(call.output_blocks(-2, 3), (Slices{out(9, 6), out(0, 3)}));
}

TEST(CallBlocks, NoneAndAll) {
  const Call call = call_of(allgather);
  EXPECT_EQ(call.output_blocks(2, 0), Slices{});
  EXPECT_EQ(call.output_blocks(0, 5), Slices{out(0, 15)});
  EXPECT_EQ(call.output_blocks(2, 5), (Slices{out(6, 9), out(0, 6)}));
}

TEST(CallBlocks, OfTheInput) {
  EXPECT_EQ(call_of(alltoall).input_block(1), in(3, 3));
  EXPECT_EQ(call_of(alltoall, true).input_block(1), out(3, 3));
  EXPECT_EQ(call_of(scatter).input_blocks(1, 2), (Slices{in(12, 3), in(0, 3)}));
  EXPECT_EQ(call_of(scatter, true).input_block(0), in(9, 3));
  EXPECT_EQ(call_of(bcast).input_block(4), out(10, 2));
  EXPECT_EQ(call_of(allreduce).input_blocks(4, 2), (Slices{in(10, 2), in(0, 3)}));
}

TEST(CallBlocks, OfUnequalSizes) {
  const Call call = call_of(reduce_scatter);
  EXPECT_EQ(call.input_block(0), in(0, 4));
  EXPECT_EQ(call.input_block(1), in(4, 0));
  EXPECT_EQ(call.input_blocks(1, 2), Slices{in(4, 3)});
  EXPECT_EQ(call.input_blocks(3, 3), (Slices{in(7, 3), in(0, 4)}));
  EXPECT_EQ(call.blocks_size(3, 3), 7);
}

TEST(CallBlocks, OfAnIrregularGather) {
  const Call call = call_of(gatherv);
  EXPECT_EQ(call.output_block(0), out(7, 1));
  EXPECT_EQ(call.output_block(1), out(8, 2));
  EXPECT_EQ(call.output_block(2), out(0, 4));
  EXPECT_EQ(call.output_block(3), out(4, 0));
  EXPECT_EQ(call.output_blocks(1, 2), (Slices{out(8, 2), out(0, 4)}));
  EXPECT_EQ(call.block_size(4), 3);
}

// What a rank sends is laid out apart from what it gets, unless it exchanges in place.
TEST(CallBlocks, OfAnIrregularExchange) {
  const Call call = call_of(alltoallv);
  EXPECT_EQ(call.input_block(0), in(0, 1));
  EXPECT_EQ(call.input_block(1), in(1, 5));
  EXPECT_EQ(call.input_block(2), in(6, 0));
  EXPECT_EQ(call.input_block(-1), in(8, 3));
  EXPECT_EQ(call.input_blocks(3, 4), (Slices{in(6, 5), in(0, 6)}));
  EXPECT_EQ(call.output_block(0), out(0, 4));
  EXPECT_EQ(call.output_block(4), out(8, 2));
  EXPECT_EQ(call.output_blocks(3, 3), (Slices{out(7, 3), out(0, 4)}));
  EXPECT_EQ(call.block_size(1), 0) << "sizes are those of the output";
  const Call in_place = call_of(alltoallv, true);
  EXPECT_EQ(in_place.input_block(2), out(4, 3));
  EXPECT_EQ(in_place.output_block(2), out(4, 3));
}

// Without `sends` the input is laid out as the output is.
TEST(CallBlocks, OfAnExchangeOfEqualBlocks) {
  Call call = call_of(alltoallw);
  call.sends.reset();
  call.layout = Layout(15, 5);
  EXPECT_EQ(call.input_block(2), in(6, 3));
  EXPECT_EQ(call.input(0), in(0, 15));
}

TEST(Exchange, IsARowPerSenderAndAColumnPerReceiver) {
  const Exchange exchange(3, {1, 2, 3,  //
                              4, 5, 6,  //
                              7, 8, 9});
  EXPECT_EQ(exchange.size(0, 2), 3);
  EXPECT_EQ(exchange.size(2, 0), 7);
  EXPECT_EQ(exchange.sent_by(1).total(), 15);
  EXPECT_EQ(exchange.sent_by(1).offset(2), 9);
  EXPECT_EQ(exchange.received_by(1).total(), 15);
  EXPECT_EQ(exchange.received_by(1).offset(2), 7);
  EXPECT_EQ(exchange.received_by(0).size(2), 7);
}

TEST(CallBlocks, AreAtMostTwoPieces) {
  for (const CollectiveInfo& each : collectives) {
    const Call call = call_of(each.collective);
    for (Rank v = -5; v < 10; ++v) {
      for (int count = 0; count <= 5; ++count) {
        EXPECT_LE(call.output_blocks(v, count).size(), 2u);
        EXPECT_EQ(size_of(call.output_blocks(v, count)), call.blocks_size(v, count));
      }
    }
  }
}

TEST(CallOperands, OfAReduceScatterAreItsBlocks) {
  Call call{.collective = reduce_scatter, .p = 4, .layout = Layout(std::vector<Units>{2, 3, 0, 1})};
  const Slices places{scratch(10, 4), scratch(20, 2)};
  EXPECT_EQ(call.operands(places, 0, 4), places);
  call.whole_operands = true;
  EXPECT_EQ(call.operands(places, 0, 4),
            (Slices{scratch(10, 2), scratch(12, 2), scratch(20, 1), scratch(21, 1)}));
  EXPECT_EQ(call.operands({scratch(0, 3)}, 3, 2), (Slices{scratch(0, 1), scratch(1, 2)}));
  EXPECT_EQ(call.operands(in(0, 6)), (Slices{in(0, 2), in(2, 3), in(5, 1)}));
}

TEST(CallOperands, OfOtherReductionsAreVectors) {
  Call call = call_of(allreduce);
  call.whole_operands = true;
  EXPECT_EQ(call.operands(in(0, 12)), Slices{in(0, 12)});
}

TEST(Call, BytesCountUnits) {
  Call call = call_of(allreduce);
  call.unit_bytes = 8;
  EXPECT_EQ(call.n(), 12);
  EXPECT_EQ(call.bytes(), 96);
}

}  // namespace
}  // namespace tutti
