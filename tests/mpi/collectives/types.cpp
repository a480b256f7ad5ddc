// The datatypes under test: how each is built with MPI and what its type map is.
#include "types.hpp"

#include <cstring>
#include <utility>

namespace tutti::test {

namespace {

template <class T>
void store_as(std::byte* where, Value value) {
  const T typed = static_cast<T>(value);
  std::memcpy(where, &typed, sizeof typed);
}

template <class T>
Value load_as(const std::byte* where) {
  T typed;
  std::memcpy(&typed, where, sizeof typed);
  return static_cast<Value>(typed);
}

std::vector<Leaf> ints_at(const std::vector<MPI_Aint>& offsets) {
  std::vector<Leaf> leaves;
  for (MPI_Aint offset : offsets) leaves.push_back({Kind::int32, offset});
  return leaves;
}

MPI_Datatype resized(MPI_Datatype base, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype result;
  MPI_Type_create_resized(base, lower_bound, extent, &result);
  MPI_Type_free(&base);
  return result;
}

MPI_Datatype int_vector() {  // two blocks of two ints, one int of gap between them
  MPI_Datatype result;
  MPI_Type_vector(2, 2, 3, MPI_INT, &result);
  return result;
}

MPI_Datatype contiguous(int count, MPI_Datatype base) {
  MPI_Datatype result;
  MPI_Type_contiguous(count, base, &result);
  return result;
}

MPI_Datatype hindexed_ints(std::vector<MPI_Aint> offsets) {
  std::vector<int> lengths(offsets.size(), 1);
  MPI_Datatype result;
  MPI_Type_create_hindexed(static_cast<int>(offsets.size()), lengths.data(), offsets.data(),
                           MPI_INT, &result);
  return result;
}

MPI_Datatype mixed_struct() {  // { char; double; short[2]; int } with the holes C would leave
  int lengths[] = {1, 1, 2, 1};
  MPI_Aint offsets[] = {0, 8, 16, 24};
  MPI_Datatype members[] = {MPI_SIGNED_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT};
  MPI_Datatype result;
  MPI_Type_create_struct(4, lengths, offsets, members, &result);
  return resized(result, 0, 32);
}

std::vector<Leaf> mixed_struct_leaves(MPI_Aint at) {
  return {{Kind::int8, at},
          {Kind::float64, at + 8},
          {Kind::int16, at + 16},
          {Kind::int16, at + 18},
          {Kind::int32, at + 24}};
}

}  // namespace

std::size_t size_of(Kind kind) {
  switch (kind) {
    case Kind::int8:
      return 1;
    case Kind::int16:
      return 2;
    case Kind::int32:
      return 4;
    case Kind::uint32:
      return 4;
    case Kind::float64:
      return 8;
  }
  return 0;
}

MPI_Datatype basic_type(Kind kind) {
  switch (kind) {
    case Kind::int8:
      return MPI_SIGNED_CHAR;
    case Kind::int16:
      return MPI_SHORT;
    case Kind::int32:
      return MPI_INT;
    case Kind::uint32:
      return MPI_UNSIGNED;
    case Kind::float64:
      return MPI_DOUBLE;
  }
  return MPI_DATATYPE_NULL;
}

void store(Kind kind, std::byte* where, Value value) {
  switch (kind) {
    case Kind::int8:
      return store_as<std::int8_t>(where, value);
    case Kind::int16:
      return store_as<std::int16_t>(where, value);
    case Kind::int32:
      return store_as<std::int32_t>(where, value);
    case Kind::uint32:
      return store_as<std::uint32_t>(where, value);
    case Kind::float64:
      return store_as<double>(where, value);
  }
}

Value load(Kind kind, const std::byte* where) {
  switch (kind) {
    case Kind::int8:
      return load_as<std::int8_t>(where);
    case Kind::int16:
      return load_as<std::int16_t>(where);
    case Kind::int32:
      return load_as<std::int32_t>(where);
    case Kind::uint32:
      return load_as<std::uint32_t>(where);
    case Kind::float64:
      return load_as<double>(where);
  }
  return 0;
}

TypeTable::TypeTable() { add_families(); }

TypeTable::~TypeTable() {
  for (TestType& type : types_) {
    if (!type.predefined) MPI_Type_free(&type.handle);
  }
}

const TestType& TypeTable::add(const std::string& name, MPI_Datatype handle,
                               std::vector<Leaf> leaves) {
  MPI_Type_commit(&handle);
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(handle, &lower_bound, &extent);
  types_.push_back({name, handle, std::move(leaves), extent, false});
  return types_.back();
}

const TestType& TypeTable::add_predefined(const std::string& name, MPI_Datatype handle,
                                          std::vector<Leaf> leaves) {
  MPI_Aint lower_bound;
  MPI_Aint extent;
  MPI_Type_get_extent(handle, &lower_bound, &extent);
  types_.push_back({name, handle, std::move(leaves), extent, true});
  return types_.back();
}

const TestType& TypeTable::add_from_leaves(const std::string& name, const std::vector<Leaf>& leaves,
                                           MPI_Aint lower_bound, MPI_Aint extent) {
  std::vector<int> lengths(leaves.size(), 1);
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> members;
  for (const Leaf& leaf : leaves) {
    offsets.push_back(leaf.offset);
    members.push_back(basic_type(leaf.kind));
  }
  MPI_Datatype handle;
  if (leaves.empty()) {
    handle = contiguous(0, MPI_INT);
  } else {
    MPI_Type_create_struct(static_cast<int>(leaves.size()), lengths.data(), offsets.data(),
                           members.data(), &handle);
  }
  MPI_Aint natural_bound;
  MPI_Aint natural_extent;
  MPI_Type_get_extent(handle, &natural_bound, &natural_extent);
  if (natural_bound != lower_bound || natural_extent != extent) {
    handle = resized(handle, lower_bound, extent);
  }
  return add(name, handle, leaves);
}

void TypeTable::add_families() {
  const TestType& ints = add_predefined("int", MPI_INT, ints_at({0}));
  const TestType& doubles = add_predefined("double", MPI_DOUBLE, {{Kind::float64, 0}});
  const TestType& double_int =
      add_predefined("double_int", MPI_DOUBLE_INT, {{Kind::float64, 0}, {Kind::int32, 8}});
  const TestType& vector = add("vector", int_vector(), ints_at({0, 4, 12, 16}));
  const TestType& wide = add("resized", resized(contiguous(3, MPI_INT), 0, 32), ints_at({0, 4, 8}));
  const TestType& negative =
      add("negative_lb", resized(hindexed_ints({-12, 4}), -16, 32), ints_at({-12, 4}));
  const TestType& shuffled = add("out_of_order", hindexed_ints({8, 0, 4}), ints_at({8, 0, 4}));
  const TestType& empty = add("zero_size", contiguous(0, MPI_INT), {});
  const TestType& record = add("struct", mixed_struct(), mixed_struct_leaves(0));
  std::vector<Leaf> two = mixed_struct_leaves(0);
  for (const Leaf& leaf : mixed_struct_leaves(32)) two.push_back(leaf);
  MPI_Datatype one_record = record.handle;
  const TestType& two_records = add("two_structs", contiguous(2, one_record), two);

  for (const TestType* type :
       {&ints, &doubles, &double_int, &vector, &wide, &negative, &shuffled, &empty, &record}) {
    families_.push_back({type->name, {{type, 1}}});
  }
  families_.push_back(
      {"mixed_ints", {{&ints, 12}, {&vector, 3}, {&shuffled, 4}, {&negative, 6}, {&wide, 4}}});
  families_.push_back({"mixed_structs", {{&record, 2}, {&two_records, 1}}});
}

}  // namespace tutti::test
