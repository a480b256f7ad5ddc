// Operators under test: how they combine, what goes in, and the user-defined MPI functions.
#include "reductions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tutti::test {

namespace {

// ---- how one element is combined: left = left op right ----

void sum(Value* left, const Value* right) { left[0] += right[0]; }
void product(Value* left, const Value* right) { left[0] *= right[0]; }
void minimum(Value* left, const Value* right) { left[0] = std::min(left[0], right[0]); }
void maximum(Value* left, const Value* right) { left[0] = std::max(left[0], right[0]); }
void bit_xor(Value* left, const Value* right) { left[0] ^= right[0]; }
void logical_and(Value* left, const Value* right) { left[0] = left[0] != 0 && right[0] != 0; }

void take_right_if(bool better, Value* left, const Value* right) {
  if (better || (left[0] == right[0] && right[1] < left[1])) {
    left[0] = right[0];
    left[1] = right[1];
  }
}
void max_loc(Value* left, const Value* right) { take_right_if(right[0] > left[0], left, right); }
void min_loc(Value* left, const Value* right) { take_right_if(right[0] < left[0], left, right); }

void nothing(Value*, const Value*) {}

Value wrap(Value x) { return static_cast<std::uint32_t>(x); }

// Commutative on any number of leaves: two here, added with wrap-around.
void wrapped_sum(Value* left, const Value* right) {
  left[0] = wrap(left[0] + right[0]);
  left[1] = wrap(left[1] + right[1]);
}

// Non-commutative: x -> a x + b, left applied first.
void compose(Value* left, const Value* right) {
  const std::uint32_t a = static_cast<std::uint32_t>(left[0]);
  const std::uint32_t b = static_cast<std::uint32_t>(left[1]);
  const std::uint32_t c = static_cast<std::uint32_t>(right[0]);
  const std::uint32_t d = static_cast<std::uint32_t>(right[1]);
  left[0] = a * c;
  left[1] = b * c + d;
}

// Non-commutative: 2x2 matrices, wrap-around.
void matrix_product(Value* left, const Value* right) {
  std::array<std::uint32_t, 4> l{};
  std::array<std::uint32_t, 4> r{};
  const auto narrow = [](Value x) { return static_cast<std::uint32_t>(x); };
  std::transform(left, left + 4, l.begin(), narrow);
  std::transform(right, right + 4, r.begin(), narrow);
  left[0] = wrap(l[0] * r[0] + l[1] * r[2]);
  left[1] = wrap(l[0] * r[1] + l[1] * r[3]);
  left[2] = wrap(l[2] * r[0] + l[3] * r[2]);
  left[3] = wrap(l[2] * r[1] + l[3] * r[3]);
}

// ---- what goes in ----

Seed hash(Seed seed, int rank, long element, int leaf) {
  return scramble(seed + static_cast<Seed>(leaf) * 7919, static_cast<Seed>(rank),
                  static_cast<Seed>(element));
}

Value small_input(Seed seed, int rank, long element, int leaf) {
  return static_cast<Value>(hash(seed, rank, element, leaf) % 2001) - 1000;
}

Value bits_input(Seed seed, int rank, long element, int leaf) {
  return static_cast<std::int32_t>(hash(seed, rank, element, leaf));
}

Value unsigned_input(Seed seed, int rank, long element, int leaf) {
  return static_cast<std::uint32_t>(hash(seed, rank, element, leaf));
}

// Mostly +1 and -1, some 2: a product over a few hundred ranks stays within an int.
Value factor_input(Seed seed, int rank, long element, int leaf) {
  if (rank % 13 == element % 13 && rank < 300) return 2;
  return hash(seed, rank, element, leaf) % 2 == 0 ? 1 : -1;
}

Value logical_input(Seed seed, int rank, long element, int leaf) {
  const Seed h = hash(seed, rank, element, leaf);
  return h % 16 == 0 ? 0 : 1 + static_cast<Value>(h % 5);
}

// Few distinct values, so ties are common and the index decides.
Value location_input(Seed seed, int rank, long element, int leaf) {
  return static_cast<Value>(hash(seed, rank, element, leaf) % (leaf == 0 ? 3 : 1000));
}

// ---- user-defined operators: one MPI function per (layout, combine) ----

struct PairLayout {
  static constexpr std::array<Leaf, 2> leaves{{{Kind::uint32, 0}, {Kind::uint32, 4}}};
  static constexpr MPI_Aint lower_bound = 0;
  static constexpr MPI_Aint extent = 8;
};
struct SwappedLayout {  // dense, but the packed order is not the memory order
  static constexpr std::array<Leaf, 2> leaves{{{Kind::uint32, 4}, {Kind::uint32, 0}}};
  static constexpr MPI_Aint lower_bound = 0;
  static constexpr MPI_Aint extent = 8;
};
struct GapLayout {
  static constexpr std::array<Leaf, 2> leaves{{{Kind::uint32, 4}, {Kind::uint32, 16}}};
  static constexpr MPI_Aint lower_bound = 0;
  static constexpr MPI_Aint extent = 24;
};
struct NegativeLayout {
  static constexpr std::array<Leaf, 2> leaves{{{Kind::uint32, -8}, {Kind::uint32, 4}}};
  static constexpr MPI_Aint lower_bound = -12;
  static constexpr MPI_Aint extent = 24;
};
struct MatrixLayout {
  static constexpr std::array<Leaf, 4> leaves{
      {{Kind::uint32, 0}, {Kind::uint32, 4}, {Kind::uint32, 8}, {Kind::uint32, 12}}};
  static constexpr MPI_Aint lower_bound = 0;
  static constexpr MPI_Aint extent = 16;
};
struct EmptyLayout {
  static constexpr std::array<Leaf, 0> leaves{};
  static constexpr MPI_Aint lower_bound = 0;
  static constexpr MPI_Aint extent = 0;
};

template <class Layout>
std::array<Value, 4> load_element(const std::byte* element) {
  std::array<Value, 4> values{};
  for (std::size_t k = 0; k < Layout::leaves.size(); ++k) {
    values[k] = load(Layout::leaves[k].kind, element + Layout::leaves[k].offset);
  }
  return values;
}

// The MPI_User_function: inout = in op inout. Does nothing, and so fails the test, when it is
// handed another datatype than the user's.
template <class Layout, Combine combine>
void user_function(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(*type, &lower_bound, &extent);
  if (lower_bound != Layout::lower_bound || extent != Layout::extent) return;
  for (long e = 0; e < *count; ++e) {
    std::byte* right = static_cast<std::byte*>(inout) + e * extent;
    auto left_values = load_element<Layout>(static_cast<std::byte*>(in) + e * extent);
    const auto right_values = load_element<Layout>(right);
    combine(left_values.data(), right_values.data());
    for (std::size_t k = 0; k < Layout::leaves.size(); ++k) {
      store(Layout::leaves[k].kind, right + Layout::leaves[k].offset, left_values[k]);
    }
  }
}

}  // namespace

std::vector<Value> Reduction::contribution(Seed seed, int rank, long first, long count) const {
  const int leaves = static_cast<int>(type->leaves.size());
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(count * leaves));
  for (long e = first; e < first + count; ++e) {
    for (int leaf = 0; leaf < leaves; ++leaf) values.push_back(input(seed, rank, e, leaf));
  }
  return values;
}

std::vector<Value> Reduction::fold(Seed seed, int first_rank, int last_rank, long first,
                                   long count) const {
  const std::size_t leaves = type->leaves.size();
  std::vector<Value> result = contribution(seed, first_rank, first, count);
  for (int rank = first_rank + 1; rank <= last_rank; ++rank) {
    const std::vector<Value> right = contribution(seed, rank, first, count);
    for (std::size_t k = 0; k < result.size(); k += leaves) combine(&result[k], &right[k]);
  }
  return result;
}

ReductionTable::ReductionTable(TypeTable& types) {
  add_predefined(types);
  add_user_defined(types);
}

ReductionTable::~ReductionTable() {
  for (Reduction& reduction : reductions_) {
    if (!reduction.predefined) MPI_Op_free(&reduction.op);
  }
}

void ReductionTable::add_predefined(TypeTable& types) {
  const TestType* ints = &types.add_predefined("int", MPI_INT, {{Kind::int32, 0}});
  const TestType* doubles = &types.add_predefined("double", MPI_DOUBLE, {{Kind::float64, 0}});
  const TestType* int_pair =
      &types.add_predefined("2int", MPI_2INT, {{Kind::int32, 0}, {Kind::int32, 4}});
  const TestType* double_int =
      &types.add_predefined("double_int", MPI_DOUBLE_INT, {{Kind::float64, 0}, {Kind::int32, 8}});
  for (const TestType* type : {ints, doubles}) {
    reductions_.push_back({"sum", type, MPI_SUM, sum, small_input, true});
    reductions_.push_back({"min", type, MPI_MIN, minimum, small_input, true});
    reductions_.push_back({"max", type, MPI_MAX, maximum, small_input, true});
    reductions_.push_back({"prod", type, MPI_PROD, product, factor_input, true});
  }
  reductions_.push_back({"bxor", ints, MPI_BXOR, bit_xor, bits_input, true});
  reductions_.push_back({"land", ints, MPI_LAND, logical_and, logical_input, true});
  for (const TestType* type : {int_pair, double_int}) {
    reductions_.push_back({"maxloc", type, MPI_MAXLOC, max_loc, location_input, true});
    reductions_.push_back({"minloc", type, MPI_MINLOC, min_loc, location_input, true});
  }
}

template <class Layout, Combine combine>
void ReductionTable::add_user_op(TypeTable& types, const std::string& name, bool commutative) {
  const std::vector<Leaf> leaves(Layout::leaves.begin(), Layout::leaves.end());
  const TestType& type = types.add_from_leaves(name, leaves, Layout::lower_bound, Layout::extent);
  MPI_Op op;
  MPI_Op_create(user_function<Layout, combine>, commutative ? 1 : 0, &op);
  const char* kind = commutative ? "user_commutative" : "user_ordered";
  reductions_.push_back({kind, &type, op, combine, unsigned_input, false});
}

void ReductionTable::add_user_defined(TypeTable& types) {
  add_user_op<PairLayout, wrapped_sum>(types, "pair", true);
  add_user_op<GapLayout, wrapped_sum>(types, "pair_gaps", true);
  add_user_op<NegativeLayout, wrapped_sum>(types, "pair_negative_lb", true);
  add_user_op<MatrixLayout, matrix_product>(types, "matrix", false);
  add_user_op<GapLayout, compose>(types, "affine_gaps", false);
  add_user_op<NegativeLayout, compose>(types, "affine_negative_lb", false);
  add_user_op<SwappedLayout, compose>(types, "affine_out_of_order", false);
  add_user_op<EmptyLayout, nothing>(types, "zero_size", false);
}

}  // namespace tutti::test
