#include "facts.hpp"

#include <algorithm>

namespace tutti::test {

namespace {

// Where the leaves of a unit lie.
std::vector<MPI_Aint> places(const Family::Choice& choice) {
  std::vector<MPI_Aint> result;
  for (int i = 0; i < choice.repeat; ++i) {
    for (const Leaf& leaf : choice.type->leaves) {
      result.push_back(i * choice.type->extent + leaf.offset);
    }
  }
  return result;
}

bool is_in_a_row(const Family::Choice& choice) {
  MPI_Aint next = 0;
  for (int i = 0; i < choice.repeat; ++i) {
    for (const Leaf& leaf : choice.type->leaves) {
      if (i * choice.type->extent + leaf.offset != next) return false;
      next += static_cast<MPI_Aint>(size_of(leaf.kind));
    }
  }
  return choice.type->extent * choice.repeat == next;
}

void add_facts(const Call& call, const Family& family, native::Facts& facts) {
  const TestType& type = *family.choices[0].type;
  long unit = 0;
  for (const Leaf& leaf : type.leaves) unit += static_cast<long>(size_of(leaf.kind));
  unit *= family.choices[0].repeat;
  facts.data = family.name;
  facts.bytes = unit * call.count * (call.collective->blocks ? call.comm->p : 1);
  facts.block_span = family.side(0, call.count).count * type.extent;
  facts.several_types = std::ranges::any_of(
      type.leaves, [&](const Leaf& leaf) { return leaf.kind != type.leaves[0].kind; });
  facts.one_datatype = std::ranges::all_of(family.choices, [&](const Family::Choice& choice) {
    return places(choice) == places(family.choices[0]);
  });
  facts.gaps = !std::ranges::all_of(family.choices, is_in_a_row);
  facts.same_ratio = family.choices.size() == 1;  // neighbours have different ones
}

void add_facts(const Call& call, const Reduction& reduction, native::Facts& facts) {
  const TestType& type = *reduction.type;
  MPI_Aint bound, extent;
  MPI_Type_get_true_extent(type.handle, &bound, &extent);
  int size, commutes;
  MPI_Type_size(type.handle, &size);
  MPI_Op_commutative(reduction.op, &commutes);
  facts.data = type.name;
  facts.reduces = true;
  facts.bytes = call.count * type.extent;
  facts.elements = call.count;
  facts.equal_blocks = facts.collective != "Reduce_scatter";
  facts.commutative = commutes != 0;
  facts.users_operator = !reduction.predefined;
  facts.offset = bound != 0;
  facts.dense = bound == 0 && type.extent == size;
}

}  // namespace

native::Facts facts(const Call& call) {
  native::Facts result;
  result.collective = call.collective->name;
  result.p = call.comm->p;
  result.root = call.root;
  result.in_place = call.placement == Placement::in_place;
  result.at_bottom = call.placement == Placement::absolute;
  result.wildcard_pending = call.wildcard_pending;
  if (call.family != nullptr) add_facts(call, *call.family, result);
  result.gaps |= result.at_bottom;
  if (call.reduction != nullptr) add_facts(call, *call.reduction, result);
  return result;
}

}  // namespace tutti::test
