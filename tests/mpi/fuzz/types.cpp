#include "types.hpp"

#include <algorithm>
#include <array>

namespace tutti::fuzz {

namespace {

constexpr MPI_Aint grid = 8;  // gaps and bounds are multiples of this, so data stay aligned

MPI_Aint round_up(MPI_Aint value, MPI_Aint unit) { return (value + unit - 1) / unit * unit; }

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  return extent;
}

// Where the basic types of one signature lie, and the bounds.
struct Placement {
  std::vector<MPI_Aint> offsets;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
};

Placement place(const std::vector<Member>& members, Inner inner, Random& random) {
  const int size = static_cast<int>(members.size());
  Placement result;
  result.offsets.resize(members.size());
  std::vector<int> order = random.permutation(size);
  if (inner != Inner::shuffled) std::sort(order.begin(), order.end());
  MPI_Aint end = 0;
  MPI_Aint widest = 1;
  for (const int k : order) {
    const auto i = static_cast<std::size_t>(k);
    if (inner != Inner::plain) end += grid * random.below(2);
    result.offsets[i] = round_up(end, members[i].size);
    end = result.offsets[i] + members[i].size;
    widest = std::max<MPI_Aint>(widest, members[i].size);
  }
  if (inner == Inner::plain) {
    result.extent = round_up(end, widest);
    return result;
  }
  const MPI_Aint shift = grid * random.between(1, 4);
  result.extent = round_up(end, grid) + grid * random.below(3);
  if (inner == Inner::late) result.extent += shift;
  if (inner == Inner::outside) result.lower_bound = shift;
  if (inner == Inner::negative) {
    result.lower_bound = -shift - grid * random.below(2);
    result.extent += grid;
  }
  const MPI_Aint move = inner == Inner::negative ? -shift : inner == Inner::late ? shift : 0;
  for (MPI_Aint& offset : result.offsets) offset += move;
  return result;
}

MPI_Datatype resized(TypePool& pool, MPI_Datatype type, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype result;
  MPI_Type_create_resized(type, lower_bound, extent, &result);
  return pool.keep(result);
}

MPI_Datatype make_inner(TypePool& pool, const Signature& signature, Inner inner, Random& random) {
  const std::vector<Member>& members = signature.members;
  if (members.empty()) {
    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    return pool.keep(empty);
  }
  if (inner == Inner::plain && signature.whole != MPI_DATATYPE_NULL &&
      (members.size() == 1 || random.chance(50))) {
    return signature.whole;
  }
  Placement placement = place(members, inner, random);
  std::vector<int> lengths(members.size(), 1);
  std::vector<MPI_Datatype> types;
  for (const Member& member : members) types.push_back(member.type);
  MPI_Datatype result;
  MPI_Type_create_struct(static_cast<int>(members.size()), lengths.data(), placement.offsets.data(),
                         types.data(), &result);
  pool.keep(result);
  return resized(pool, result, placement.lower_bound, placement.extent);
}

int divisor_of(int number, Random& random) {
  std::vector<int> divisors;
  for (int d = 1; d <= number; ++d) {
    if (number % d == 0) divisors.push_back(d);
  }
  return random.pick(divisors);
}

MPI_Datatype make_indexed(int repeat, MPI_Datatype inner, Random& random) {
  std::vector<int> lengths;
  std::vector<int> displacements;
  int end = 0;
  for (int left = repeat; left > 0; left -= lengths.back()) {
    displacements.push_back(end + random.below(3));
    lengths.push_back(random.between(1, left));
    end = displacements.back() + lengths.back();
  }
  MPI_Datatype result;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(), inner,
                   &result);
  return result;
}

// `repeat` different slots out of a few more, in random order.
std::vector<int> draw_slots(int repeat, Random& random) {
  std::vector<int> slots = random.permutation(repeat + random.below(3));
  slots.resize(static_cast<std::size_t>(repeat));
  return slots;
}

MPI_Datatype make_shuffled(int repeat, MPI_Datatype inner, Random& random) {
  const std::vector<int> slots = draw_slots(repeat, random);
  MPI_Datatype result;
  MPI_Type_create_indexed_block(repeat, 1, slots.data(), inner, &result);
  return result;
}

MPI_Datatype make_pieces(int repeat, MPI_Datatype inner, Random& random) {
  std::vector<MPI_Aint> offsets;
  for (const int slot : draw_slots(repeat, random)) offsets.push_back(slot * extent_of(inner));
  const std::vector<int> lengths(offsets.size(), 1);
  const std::vector<MPI_Datatype> types(offsets.size(), inner);
  MPI_Datatype result;
  MPI_Type_create_struct(repeat, lengths.data(), offsets.data(), types.data(), &result);
  return result;
}

MPI_Datatype make_subarray(int repeat, MPI_Datatype inner, Random& random) {
  const int rows = divisor_of(repeat, random);
  const std::array<int, 2> part{rows, repeat / rows};
  const std::array<int, 2> starts{random.below(3), random.below(3)};
  const std::array<int, 2> whole{part[0] + starts[0] + random.below(2),
                                 part[1] + starts[1] + random.below(2)};
  MPI_Datatype result;
  MPI_Type_create_subarray(2, whole.data(), part.data(), starts.data(),
                           random.chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner, &result);
  return result;
}

MPI_Datatype make_outer(const Description& description, MPI_Datatype inner, int columns,
                        Random& random) {
  const int repeat = description.repeat;
  MPI_Datatype result = MPI_DATATYPE_NULL;
  switch (description.outer) {
    case Outer::contiguous:
      MPI_Type_contiguous(repeat, inner, &result);
      break;
    case Outer::dup:
      MPI_Type_dup(inner, &result);
      break;
    case Outer::vector: {
      const int length = divisor_of(repeat, random);
      MPI_Type_vector(repeat / length, length, length + random.between(1, 3), inner, &result);
      break;
    }
    case Outer::backwards:
      MPI_Type_create_hvector(repeat, 1, -extent_of(inner) * random.between(1, 2), inner, &result);
      break;
    case Outer::indexed:
      return make_indexed(repeat, inner, random);
    case Outer::shuffled:
      return make_shuffled(repeat, inner, random);
    case Outer::pieces:
      return make_pieces(repeat, inner, random);
    case Outer::subarray:
      return make_subarray(repeat, inner, random);
    case Outer::columns:
      MPI_Type_vector(repeat, 1, columns, inner, &result);
      break;
  }
  return result;
}

MPI_Datatype make(TypePool& pool, const Signature& signature, const Description& description,
                  int columns) {
  Random random(description.details);
  MPI_Datatype inner = make_inner(pool, signature, description.inner, random);
  if (description.outer == Outer::contiguous && description.repeat == 1) return inner;
  const MPI_Datatype result = pool.keep(make_outer(description, inner, columns, random));
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(description.outer == Outer::columns ? inner : result, &lower_bound, &extent);
  if (description.outer == Outer::columns) return resized(pool, result, lower_bound, extent);
  if (!random.chance(25)) return result;
  return resized(pool, result, lower_bound, extent + grid * random.below(4));
}

bool is_predefined(MPI_Datatype type) {
  int integers;
  int addresses;
  int types;
  int combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

}  // namespace

int Signature::bytes() const {
  int sum = 0;
  for (const Member& member : members) sum += member.size;
  return sum;
}

const std::vector<Signature>& signatures() {
  static const Member character{MPI_SIGNED_CHAR, 1};
  static const Member small{MPI_SHORT, 2};
  static const Member integer{MPI_INT, 4};
  static const Member real{MPI_DOUBLE, 8};
  static const std::vector<Signature> list{
      {"int", {integer}, MPI_INT},
      {"double", {real}, MPI_DOUBLE},
      {"char", {character}, MPI_SIGNED_CHAR},
      {"short", {small}, MPI_SHORT},
      {"byte", {{MPI_BYTE, 1}}, MPI_BYTE},
      {"long long", {{MPI_LONG_LONG, 8}}, MPI_LONG_LONG},
      {"double_int", {real, integer}, MPI_DOUBLE_INT},
      {"record", {character, real, small, integer}, MPI_DATATYPE_NULL},
      {"nothing", {}, MPI_DATATYPE_NULL},
  };
  return list;
}

Description draw_description(Random& random, const Signature& signature, int repeat) {
  Description result;
  result.repeat = divisor_of(repeat, random);
  result.details = random.next();
  if (random.chance(40)) result.inner = static_cast<Inner>(random.below(6));
  result.outer = static_cast<Outer>(random.below(9));
  // Elements without data cannot interleave, nor be told apart by their extent.
  if (signature.members.empty()) result.outer = static_cast<Outer>(random.below(3));
  if (result.outer == Outer::dup) result.repeat = 1;
  if (result.outer == Outer::subarray) result.inner = Inner::plain;
  return result;
}

std::string describe(const Description& description) {
  static const char* const inners[] = {"plain",    "spread", "shuffled",
                                       "negative", "late",   "outside"};
  static const char* const outers[] = {"contiguous", "dup",    "vector",   "backwards", "indexed",
                                       "shuffled",   "pieces", "subarray", "columns"};
  return std::string(outers[static_cast<int>(description.outer)]) + "(" +
         std::to_string(description.repeat) + " " + inners[static_cast<int>(description.inner)] +
         ")";
}

MPI_Datatype TypePool::get(const Signature& signature, const Description& description,
                           int columns) {
  if (description.outer != Outer::columns) columns = 0;
  for (const Known& known : known_) {
    if (known.signature == &signature && known.description == description &&
        known.columns == columns) {
      return known.type;
    }
  }
  MPI_Datatype type = make(*this, signature, description, columns);
  if (!is_predefined(type)) MPI_Type_commit(&type);
  known_.push_back({&signature, description, columns, type});
  return type;
}

MPI_Datatype TypePool::keep(MPI_Datatype type) {
  kept_.push_back(type);
  return type;
}

TypePool::~TypePool() {
  for (MPI_Datatype& type : kept_) MPI_Type_free(&type);
}

}  // namespace tutti::fuzz
