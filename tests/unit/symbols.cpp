// Products of contributions, and buffers of symbols against the array they stand for.
#include "verify/symbols.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace tutti {
namespace {

TEST(Products, OfAnOperatorThatCommutesAreSets) {
  Products values(true);
  const ValueId zero = values.of_ranks(0, 0), one = values.of_ranks(1, 1);
  EXPECT_NE(zero, one);
  EXPECT_EQ(values.combine(one, zero), values.combine(zero, one));
  EXPECT_EQ(values.combine(zero, one), values.of_ranks(0, 1));
}

TEST(Products, OfAnOperatorThatDoesNotCommuteAreSequences) {
  Products values(false);
  const ValueId zero = values.of_ranks(0, 0), one = values.of_ranks(1, 1);
  EXPECT_EQ(values.combine(zero, one), values.of_ranks(0, 1));
  EXPECT_NE(values.combine(one, zero), values.of_ranks(0, 1));
  EXPECT_EQ(values.describe(values.combine(one, zero)), "1 op 0");
}

TEST(Products, ThatKeepExpressionsAreEqualIfMadeAlike) {
  Products values(true, Products::Keep::expression);
  const ValueId a = values.of_ranks(0, 0), b = values.of_ranks(1, 1), c = values.of_ranks(2, 2);
  const ValueId from_left = values.combine(values.combine(a, b), c);
  const ValueId from_right = values.combine(a, values.combine(b, c));
  EXPECT_EQ(from_left, values.combine(values.combine(a, b), c));
  EXPECT_NE(from_left, from_right);
  EXPECT_NE(values.combine(a, b), values.combine(b, a));
  EXPECT_NE(values.combine(a, b, {0, 8}), values.combine(a, b, {4, 8}));
  EXPECT_EQ(values.product(from_left), values.of_ranks(0, 2));
  EXPECT_EQ(values.product(from_right), values.of_ranks(0, 2));
  EXPECT_EQ(values.combine(from_left, b), -1);
}

TEST(Products, HaveALowestRank) {
  Products values(true);
  const ValueId ends = values.combine(values.of_ranks(3, 3), values.of_ranks(1, 1));
  EXPECT_EQ(values.lowest(ends), 1);
  const Placement two_nodes({0, 1, 0, 1});
  EXPECT_EQ(values.lowest(ends, &two_nodes), 2) << "ranks 0 and 2 come first";
}

TEST(Products, AreAssociative) {
  for (const bool commutative : {true, false}) {
    Products values(commutative);
    const ValueId a = values.of_ranks(3, 4), b = values.of_ranks(0, 1), c = values.of_ranks(2, 2);
    EXPECT_EQ(values.combine(values.combine(a, b), c), values.combine(a, values.combine(b, c)));
  }
}

TEST(Products, FillGaps) {
  Products values(true);
  const ValueId ends = values.combine(values.of_ranks(4, 5), values.of_ranks(0, 1));
  EXPECT_EQ(values.describe(ends), "0..1 op 4..5");
  EXPECT_EQ(values.combine(values.of_ranks(2, 3), ends), values.of_ranks(0, 5));
}

TEST(Products, RefuseARankTwice) {
  for (const bool commutative : {true, false}) {
    Products values(commutative);
    const ValueId some = values.of_ranks(1, 3);
    EXPECT_EQ(values.combine(some, some), -1);
    EXPECT_EQ(values.combine(some, values.of_ranks(3, 5)), -1);
    EXPECT_EQ(values.combine(values.of_ranks(0, 9), values.of_ranks(4, 4)), -1);
    EXPECT_GE(values.combine(some, values.of_ranks(4, 5)), 0);
  }
}

TEST(Extents, AreJoinedIfTheyContinueEachOther) {
  EXPECT_EQ(joined({{7, 0, 2}, {7, 2, 3}, {7, 5, 0}}), (Extents{{7, 0, 5}}));
  EXPECT_EQ(joined({{7, 0, 2}, {7, 3, 1}}).size(), 2u);
  EXPECT_EQ(joined({{7, 0, 2}, {8, 2, 1}}).size(), 2u);
  EXPECT_EQ(joined({}), Extents{});
}

// The same buffer, a unit at a time.
class NaiveBuffer {
 public:
  static constexpr Units size = 40;

  void write(Units offset, const Extents& extents) {
    for (const Extent& extent : extents) {
      for (Units i = 0; i < extent.size; ++i) {
        units_[static_cast<std::size_t>(offset++)] = Extent{extent.value, extent.index + i, 1};
      }
    }
  }
  Extents read(Units offset, Units count) const {
    Extents result;
    for (Units i = offset; i < offset + count; ++i) {
      const auto& unit = units_[static_cast<std::size_t>(i)];
      if (!unit) return {};
      result.push_back(*unit);
    }
    return joined(result);
  }
  bool defined_anywhere(Units offset, Units count) const {
    for (Units i = offset; i < offset + count; ++i) {
      if (units_[static_cast<std::size_t>(i)]) return true;
    }
    return false;
  }

 private:
  std::optional<Extent> units_[size];
};

class RandomInterval {
 public:
  explicit RandomInterval(std::mt19937_64& random) {
    offset = std::uniform_int_distribution<Units>(0, NaiveBuffer::size - 1)(random);
    size = std::uniform_int_distribution<Units>(1, NaiveBuffer::size - offset)(random);
    size = std::min<Units>(size, 12);
  }
  Units offset, size;
};

Extents random_extents(Units size, std::mt19937_64& random) {
  Extents result;
  while (size > 0) {
    const Units part = std::uniform_int_distribution<Units>(1, size)(random);
    result.push_back({static_cast<ValueId>(random() % 3), static_cast<Units>(random() % 5), part});
    size -= part;
  }
  return result;
}

void compare_for(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  SymbolicBuffer buffer;
  NaiveBuffer naive;
  for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
    const RandomInterval written(random), asked(random);
    const Extents what = random_extents(written.size, random);
    buffer.write(written.offset, what);
    naive.write(written.offset, what);
    EXPECT_EQ(buffer.read(asked.offset, asked.size), naive.read(asked.offset, asked.size));
    EXPECT_EQ(buffer.defined_anywhere(asked.offset, asked.size),
              naive.defined_anywhere(asked.offset, asked.size));
  }
}

TEST(SymbolicBuffer, BehavesLikeAnArray) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) compare_for(seed);
}

TEST(SymbolicBuffer, ReadsNothingWherePartIsUndefined) {
  SymbolicBuffer buffer;
  buffer.write(2, {{5, 0, 4}});
  EXPECT_EQ(buffer.read(2, 4), (Extents{{5, 0, 4}}));
  EXPECT_EQ(buffer.read(3, 2), (Extents{{5, 1, 2}}));
  EXPECT_EQ(buffer.read(1, 2), Extents{});
  EXPECT_EQ(buffer.read(5, 2), Extents{});
  EXPECT_TRUE(buffer.defined_anywhere(0, 3));
  EXPECT_FALSE(buffer.defined_anywhere(0, 2));
  EXPECT_FALSE(buffer.defined_anywhere(6, 9));
}

}  // namespace
}  // namespace tutti
