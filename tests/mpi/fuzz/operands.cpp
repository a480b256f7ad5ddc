#include "operands.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tutti::fuzz {

namespace {

// ---- datatypes ----

enum Class : unsigned {
  integer = 1,
  floating = 2,
  complex = 4,
  byte = 8,
  boolean = 16,
  pair = 32,
  two_words = 64,
  four_words = 128,
};

struct Predefined {
  const char* name;
  MPI_Datatype type;
  std::vector<Leaf> leaves;
  unsigned classes;
};

const std::vector<Predefined>& predefined() {
  static const std::vector<Predefined> list{
      {"int", MPI_INT, {{Kind::i32, 0}}, integer},
      {"double", MPI_DOUBLE, {{Kind::f64, 0}}, floating},
      {"float", MPI_FLOAT, {{Kind::f32, 0}}, floating},
      {"signed_char", MPI_SIGNED_CHAR, {{Kind::i8, 0}}, integer},
      {"unsigned_char", MPI_UNSIGNED_CHAR, {{Kind::u8, 0}}, integer},
      {"short", MPI_SHORT, {{Kind::i16, 0}}, integer},
      {"uint16", MPI_UINT16_T, {{Kind::u16, 0}}, integer},
      {"unsigned", MPI_UNSIGNED, {{Kind::u32, 0}}, integer},
      {"long", MPI_LONG, {{Kind::i64, 0}}, integer},
      {"long_long", MPI_LONG_LONG, {{Kind::i64, 0}}, integer},
      {"uint64", MPI_UINT64_T, {{Kind::u64, 0}}, integer},
      {"aint", MPI_AINT, {{Kind::i64, 0}}, integer},
      {"byte", MPI_BYTE, {{Kind::u8, 0}}, byte},
      {"c_bool", MPI_C_BOOL, {{Kind::boolean, 0}}, boolean},
      {"c_double_complex", MPI_C_DOUBLE_COMPLEX, {{Kind::f64, 0}, {Kind::f64, 8}}, complex},
      {"c_float_complex", MPI_C_FLOAT_COMPLEX, {{Kind::f32, 0}, {Kind::f32, 4}}, complex},
      {"2int", MPI_2INT, {{Kind::i32, 0}, {Kind::i32, 4}}, pair},
      {"double_int", MPI_DOUBLE_INT, {{Kind::f64, 0}, {Kind::i32, 8}}, pair},
      {"float_int", MPI_FLOAT_INT, {{Kind::f32, 0}, {Kind::i32, 4}}, pair},
      {"long_int", MPI_LONG_INT, {{Kind::i64, 0}, {Kind::i32, 8}}, pair},
      {"short_int", MPI_SHORT_INT, {{Kind::i16, 0}, {Kind::i32, 4}}, pair},
      {"two words", MPI_LONG_LONG, {{Kind::u32, 0}, {Kind::u32, 4}}, two_words},
  };
  return list;
}

template <class Type>
void store_as(std::byte* where, std::int64_t value) {
  const Type typed = static_cast<Type>(value);
  std::memcpy(where, &typed, sizeof typed);
}

void store(Kind kind, std::byte* where, std::int64_t value) {
  switch (kind) {
    case Kind::i8:
    case Kind::u8:
    case Kind::boolean:
      return store_as<std::uint8_t>(where, value);
    case Kind::i16:
    case Kind::u16:
      return store_as<std::uint16_t>(where, value);
    case Kind::i32:
    case Kind::u32:
      return store_as<std::uint32_t>(where, value);
    case Kind::i64:
    case Kind::u64:
      return store_as<std::uint64_t>(where, value);
    case Kind::f32:
      return store_as<float>(where, value);
    case Kind::f64:
      return store_as<double>(where, value);
  }
}

// ---- operators defined by the user, on 32-bit words ----

const Reduction* current = nullptr;  // how the words of the call under way lie
bool misled = false;

using Words = std::array<std::uint32_t, 4>;
using Combine = Words (*)(const Words& left, const Words& right);

Words add(const Words& left, const Words& right) {
  return {left[0] + right[0], left[1] + right[1]};
}

// x -> a x + b, left applied first. Does not commute.
Words compose(const Words& left, const Words& right) {
  return {left[0] * right[0], left[1] * right[0] + right[1]};
}

// 2x2 matrices modulo a prime. Does not commute.
Words multiply(const Words& left, const Words& right) {
  constexpr std::uint64_t prime = 65521;
  const auto entry = [&](std::size_t row, std::size_t column) {
    const std::uint64_t sum =
        std::uint64_t{left[row]} * right[column] + std::uint64_t{left[row + 1]} * right[column + 2];
    return static_cast<std::uint32_t>(sum % prime);
  };
  return {entry(0, 0), entry(0, 1), entry(2, 0), entry(2, 1)};
}

template <Combine combine>
void user_function(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(*type, &lower_bound, &extent);
  if (lower_bound != current->lower_bound || extent != current->extent) misled = true;
  if (misled) return;
  const std::vector<MPI_Aint>& offsets = current->words;
  for (long i = 0; i < *count; ++i) {
    std::byte* const left_at = static_cast<std::byte*>(in) + i * extent;
    std::byte* const right_at = static_cast<std::byte*>(inout) + i * extent;
    Words left{};
    Words right{};
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      std::memcpy(&left[k], left_at + offsets[k], sizeof left[k]);
      std::memcpy(&right[k], right_at + offsets[k], sizeof right[k]);
    }
    const Words result = combine(left, right);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      std::memcpy(right_at + offsets[k], &result[k], sizeof result[k]);
    }
  }
}

// ---- operators ----

struct Operator {
  const char* name;
  MPI_Op op;  // or MPI_OP_NULL: made from `function`
  Values values;
  unsigned classes;
  MPI_User_function* function = nullptr;
  bool commutative = true;
};

const std::vector<Operator>& operators() {
  const unsigned numbers = integer | floating;
  const unsigned truths = integer | boolean;
  const unsigned bits = integer | byte;
  static const std::vector<Operator> list{
      {"sum", MPI_SUM, Values::small, numbers | complex},
      {"prod", MPI_PROD, Values::factor, numbers | complex},
      {"min", MPI_MIN, Values::order, numbers},
      {"max", MPI_MAX, Values::order, numbers},
      {"land", MPI_LAND, Values::logical, truths},
      {"lor", MPI_LOR, Values::logical, truths},
      {"lxor", MPI_LXOR, Values::logical, truths},
      {"band", MPI_BAND, Values::bits, bits},
      {"bor", MPI_BOR, Values::bits, bits},
      {"bxor", MPI_BXOR, Values::bits, bits},
      {"minloc", MPI_MINLOC, Values::location, pair},
      {"maxloc", MPI_MAXLOC, Values::location, pair},
      {"user's sum", MPI_OP_NULL, Values::words, two_words, user_function<add>},
      {"user's composition", MPI_OP_NULL, Values::words, two_words, user_function<compose>, false},
      {"user's matrix product", MPI_OP_NULL, Values::matrix, four_words, user_function<multiply>,
       false},
  };
  return list;
}

const Operator& operator_of(const Reduction& reduction) {
  return operators()[static_cast<std::size_t>(reduction.op)];
}

unsigned classes_of(const Reduction& reduction) {
  if (reduction.operand < 0) return reduction.words.size() == 2 ? two_words : four_words;
  return predefined()[static_cast<std::size_t>(reduction.operand)].classes;
}

// ---- values ----

bool is_narrow(Kind kind) { return kind == Kind::i8 || kind == Kind::u8; }

bool is_signed(Kind kind) {
  return kind == Kind::i8 || kind == Kind::i16 || kind == Kind::i32 || kind == Kind::i64 ||
         kind == Kind::f32 || kind == Kind::f64;
}

// Small enough that no sum or product of 16 ranks overflows or is rounded.
std::int64_t value(Values values, Kind kind, std::size_t leaf, Seed hash) {
  const auto below = [hash](Seed limit) { return static_cast<std::int64_t>((hash >> 8) % limit); };
  switch (values) {
    case Values::small:
      return is_signed(kind) ? below(15) - 7 : below(15);
    case Values::factor:
      if (!is_narrow(kind) && hash % 8 == 0) return 2;
      return is_signed(kind) && hash % 2 == 1 ? -1 : 1;
    case Values::order:
      return is_signed(kind) ? below(201) - 100 : below(201);
    case Values::bits:
    case Values::words:
      return static_cast<std::int64_t>(hash);
    case Values::logical:
      return hash % 3 == 0 ? 0 : kind == Kind::boolean ? 1 : 1 + below(5);
    case Values::location:
      return below(leaf == 0 ? 3 : 1000);
    case Values::matrix:
      return below(65521);
  }
  return 0;
}

// 1+2i, turned. No product of these has a real or imaginary part of 0, whose sign would depend on
// the order.
void store_complex_factor(std::byte* element, const Operand& operand, int turns) {
  static constexpr int parts[4][2] = {{1, 2}, {-2, 1}, {-1, -2}, {2, -1}};
  for (std::size_t k = 0; k < 2; ++k) {
    store(operand.leaves[k].kind, element + operand.leaves[k].offset, parts[turns][k]);
  }
}

MPI_Datatype make_words(const Reduction& reduction, TypePool& pool) {
  const std::vector<int> lengths(reduction.words.size(), 1);
  MPI_Datatype scattered;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), reduction.words.data(),
                           MPI_UNSIGNED, &scattered);
  MPI_Datatype result;
  MPI_Type_create_resized(pool.keep(scattered), reduction.lower_bound, reduction.extent, &result);
  MPI_Type_commit(&result);
  return pool.keep(result);
}

// Words with or without gaps, in or out of order, from before, at or after the element's address.
void draw_words(Reduction& reduction, Random& random) {
  const int size = random.chance(60) ? 2 : 4;
  const int holes = random.chance(30) ? 1 : 3;  // 1: none
  const bool shuffled = random.chance(30);
  const MPI_Aint shift = random.chance(50) ? 0 : 4 * random.between(-6, 6);
  std::vector<int> order = random.permutation(size);
  if (!shuffled) std::sort(order.begin(), order.end());
  reduction.operand = -1;
  reduction.words.resize(static_cast<std::size_t>(size));
  MPI_Aint end = 0;
  for (const int k : order) {
    end += 4 * random.below(holes);
    reduction.words[static_cast<std::size_t>(k)] = end + shift;
    end += 4;
  }
  reduction.lower_bound = std::min<MPI_Aint>(shift, 0);
  reduction.extent = std::max<MPI_Aint>(end + shift, end) + 4 * random.below(holes);
}

}  // namespace

int size_of(Kind kind) {
  static constexpr int sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1};
  return sizes[static_cast<int>(kind)];
}

Reduction draw_reduction(Random& random) {
  Reduction result;
  if (random.chance(45)) {
    draw_words(result, random);
  } else {
    // Every other time one of the first two, int and double: the usual case.
    const int last = static_cast<int>(predefined().size()) - 1;
    result.operand = random.chance(40) ? random.below(2) : random.between(2, last);
    result.extent = extent_of(result);
    for (const Leaf& leaf : predefined()[static_cast<std::size_t>(result.operand)].leaves) {
      result.words.push_back(leaf.offset);
    }
  }
  redraw_operator(result, random);
  return result;
}

void redraw_operator(Reduction& reduction, Random& random) {
  std::vector<int> fitting;
  for (std::size_t i = 0; i < operators().size(); ++i) {
    if ((operators()[i].classes & classes_of(reduction)) != 0) {
      fitting.push_back(static_cast<int>(i));
    }
  }
  reduction.op = random.pick(fitting);
}

bool is_commutative(const Reduction& reduction) { return operator_of(reduction).commutative; }

bool orders_unsigned(const Reduction& reduction) {
  if (reduction.operand < 0 || operator_of(reduction).values != Values::order) return false;
  switch (predefined()[static_cast<std::size_t>(reduction.operand)].leaves[0].kind) {
    case Kind::u8:
    case Kind::u16:
    case Kind::u32:
    case Kind::u64:
      return true;
    default:
      return false;
  }
}

bool is_dense(const Reduction& reduction) {
  if (has_offset(reduction)) return false;
  if (reduction.operand < 0) {
    return reduction.extent == static_cast<MPI_Aint>(4 * reduction.words.size());
  }
  MPI_Aint bytes = 0;
  for (const Leaf& leaf : predefined()[static_cast<std::size_t>(reduction.operand)].leaves) {
    bytes += size_of(leaf.kind);
  }
  return bytes == reduction.extent;
}

bool has_offset(const Reduction& reduction) {
  return *std::min_element(reduction.words.begin(), reduction.words.end()) != 0;
}

MPI_Aint extent_of(const Reduction& reduction) {
  if (reduction.operand < 0) return reduction.extent;
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(predefined()[static_cast<std::size_t>(reduction.operand)].type, &lower_bound,
                      &extent);
  return extent;
}

std::string describe(const Reduction& reduction) {
  const std::string op = operator_of(reduction).name;
  if (reduction.operand >= 0) {
    return op + " of " + predefined()[static_cast<std::size_t>(reduction.operand)].name;
  }
  std::string text = op + " of words at";
  for (const MPI_Aint offset : reduction.words) text += " " + std::to_string(offset);
  return text + " (lower bound " + std::to_string(reduction.lower_bound) + ", extent " +
         std::to_string(reduction.extent) + ")";
}

const Operand& OperandHolder::get(const Reduction& reduction, TypePool& pool) {
  current = &reduction;
  if (!operand_) {
    if (reduction.operand >= 0) {
      const Predefined& type = predefined()[static_cast<std::size_t>(reduction.operand)];
      operand_ = Operand{type.name, type.type, type.leaves};
    } else {
      operand_ = Operand{"words", make_words(reduction, pool), {}};
      for (const MPI_Aint offset : reduction.words) operand_->leaves.push_back({Kind::u32, offset});
    }
  }
  return *operand_;
}

OperatorHolder::OperatorHolder(const Reduction& reduction)
    : op_(operator_of(reduction).op), owned_(op_ == MPI_OP_NULL) {
  const Operator& chosen = operator_of(reduction);
  if (owned_) MPI_Op_create(chosen.function, chosen.commutative ? 1 : 0, &op_);
}

OperatorHolder::~OperatorHolder() {
  if (owned_) MPI_Op_free(&op_);
}

void fill_operands(std::byte* address, long count, const Operand& operand,
                   const Reduction& reduction, Seed seed, int rank) {
  const Values values = operator_of(reduction).values;
  const MPI_Aint extent = extent_of(reduction);
  Random random(seed, 0x0bead, static_cast<Seed>(rank));
  for (long i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < operand.leaves.size(); ++k) {
      const Leaf& leaf = operand.leaves[k];
      store(leaf.kind, address + i * extent + leaf.offset,
            value(values, leaf.kind, k, random.next()));
    }
    if (values == Values::factor && operand.leaves.size() == 2) {
      store_complex_factor(address + i * extent, operand, random.below(4));
    }
  }
}

bool user_function_was_misled() { return std::exchange(misled, false); }

}  // namespace tutti::fuzz
