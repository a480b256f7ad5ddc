#include "facts.hpp"

#include <algorithm>

namespace tutti::fuzz {

namespace {

template <class Has>
bool any_side(const Call& call, Has has) {
  return std::any_of(call.send.begin(), call.send.end(), has) ||
         std::any_of(call.receive.begin(), call.receive.end(), has);
}

bool has_one_datatype(const Call& call) {
  if (call.receive.empty()) return true;
  const Description& first = call.receive[0].types[0];
  if (first.outer == Outer::columns) return false;  // as wide as each buffer needs
  return !any_side(call, [&](const Side& side) {
    return std::any_of(side.types.begin(), side.types.end(),
                       [&](const Description& type) { return !(type == first); });
  });
}

bool has_same_ratio(const Call& call) {
  const auto ratio = [&](std::size_t rank) {
    return double(call.send[rank].types[0].repeat) / call.receive[rank].types[0].repeat;
  };
  for (std::size_t rank = 1; rank < call.send.size(); ++rank) {
    if (ratio(rank) != ratio(0)) return false;
  }
  return true;
}

bool has_gaps(const Side& side) {
  return std::any_of(side.types.begin(), side.types.end(), [](const Description& type) {
    return type.inner != Inner::plain ||
           (type.outer != Outer::contiguous && type.outer != Outer::dup);
  });
}

// Elements of the side that has one block.
bool are_interleaved(const Call& call) {
  const bool gathers = call.collective == Collective::gather;
  const auto& sides = gathers ? call.send : call.receive;
  return std::any_of(sides.begin(), sides.end(), [](const Side& side) {
    const Description& type = side.types[0];
    return type.outer == Outer::columns && type.repeat > 1;
  });
}

}  // namespace

native::Facts facts(const Call& call) {
  native::Facts result;
  result.collective = call.about().name;
  result.p = call.p;
  result.root = call.root;
  result.in_place = call.in_place;
  result.bytes = call.bytes();
  result.reduces = call.about().reduces;
  if (result.reduces) {
    result.elements = call.sizes[0];
    result.equal_blocks = std::count(call.sizes.begin(), call.sizes.end(), call.sizes[0]) ==
                          static_cast<long>(call.sizes.size());
    result.commutative = is_commutative(call.reduction);
    result.users_operator = call.reduction.operand < 0;
    result.orders_unsigned = orders_unsigned(call.reduction);
    result.dense = is_dense(call.reduction);
    result.offset = has_offset(call.reduction);
    return result;
  }
  if (call.signature == nullptr) return result;
  result.at_bottom = any_side(call, [](const Side& side) { return side.at_bottom; });
  result.several_types = call.signature->members.size() > 1;
  // As in C, members of several types have gaps between them; absolute addresses are no row.
  result.gaps = any_side(call, has_gaps) || result.several_types || result.at_bottom;
  result.one_datatype = has_one_datatype(call);
  result.interleaved = are_interleaved(call);
  if (call.collective == Collective::allgatherv) result.same_ratio = has_same_ratio(call);
  return result;
}

}  // namespace tutti::fuzz
