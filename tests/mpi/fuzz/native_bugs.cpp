// Bugs of MPICH 4.0.2 and Open MPI 4.1.4, each seen in this test. On one rank the native library
// serves the call in any case, so nothing is right if it is wrong.
#include "native_bugs.hpp"

#include <algorithm>

namespace tutti::fuzz {

namespace {

template <class Has>
bool any_side(const Call& call, Has has) {
  return std::any_of(call.send.begin(), call.send.end(), has) ||
         std::any_of(call.receive.begin(), call.receive.end(), has);
}

bool is_at_bottom(const Call& call) {
  return any_side(call, [](const Side& side) { return side.at_bottom; });
}

bool has_one_datatype(const Call& call) {
  const Description& first = call.receive[0].types[0];
  if (first.outer == Outer::columns) return false;  // as wide as each buffer needs
  return !any_side(call, [&](const Side& side) {
    return std::any_of(side.types.begin(), side.types.end(),
                       [&](const Description& type) { return !(type == first); });
  });
}

}  // namespace

#if defined(MPICH_VERSION)

namespace {

// Messages past 8 KB travel in pieces. If the two ends describe elements of several basic types
// differently, a piece may end inside one, and the message is said to be truncated (plain MPI_Send
// and MPI_Recv too).
bool may_be_truncated(const Call& call) {
  return call.p > 1 && call.signature != nullptr && call.signature->members.size() > 1 &&
         call.bytes() > 8000;
}

// What sends packed, and receives as it is, or the other way round.
bool packs(const Call& call) {
  switch (call.collective) {
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
      return true;
    case Collective::alltoallv:
    case Collective::alltoallw:
      return call.in_place;
    default:
      return false;
  }
}

// The algorithm for operators that do not commute, used on 2^k ranks with blocks of one size,
// misplaces datatypes with gaps.
bool is_misplaced(const Call& call) {
  const bool equal = std::count(call.sizes.begin(), call.sizes.end(), call.sizes[0]) ==
                     static_cast<long>(call.sizes.size());
  return call.p > 1 && (call.p & (call.p - 1)) == 0 && equal && !is_commutative(call.reduction) &&
         !is_dense(call.reduction);
}

}  // namespace

bool is_known_limit(const Call& call) { return may_be_truncated(call) && is_at_bottom(call); }

Right what_is_right(const Call& call) {
  // Compares them as if they had signs, also in MPI_Reduce_local; kernels_test has what is right.
  if (call.about().reduces && orders_unsigned(call.reduction)) return Right::nothing;
  if (may_be_truncated(call)) {
    if (!has_one_datatype(call)) return Right::nothing;
    if (packs(call)) return Right::messages;
  }
  switch (call.collective) {
    case Collective::allgatherv:
      if (call.p == 1) return Right::nothing;  // ignores the displacement
      // The ring sends pieces of as many elements as the extent of each rank's datatype suggests.
      return call.bytes() > 80000 && !has_one_datatype(call) ? Right::messages : Right::collective;
    case Collective::reduce_scatter_block:
    case Collective::reduce_scatter:
      return is_misplaced(call) ? Right::messages : Right::collective;
    case Collective::reduce:  // copies from the address MPI_IN_PLACE itself
      return call.p > 1 && call.in_place && call.root != 0 && call.bytes() > 2048
                 ? Right::messages
                 : Right::collective;
    default:
      return Right::collective;
  }
}

#else

namespace {

// Ranks that multiply the size of their send datatype with the receive counts get different
// products, and so choose different algorithms.
bool disagree_on_size(const Call& call) {
  const auto ratio = [&](std::size_t rank) {
    return double(call.send[rank].types[0].repeat) / call.receive[rank].types[0].repeat;
  };
  for (std::size_t rank = 1; rank < call.send.size(); ++rank) {
    if (ratio(rank) != ratio(0)) return true;
  }
  return false;
}

// Bruck's algorithm, used from 12 ranks on, loses track of datatypes that differ between ranks, or
// of absolute addresses.
bool is_lost(const Call& call) {
  return call.p >= 12 && (is_at_bottom(call) || !has_one_datatype(call));
}

// Ranks on the way hold the blocks of others as elements of their own datatype. If elements
// interleave, as many as the user has do not overlap, but more do.
bool overlap_on_the_way(const Call& call) {
  const bool gathers = call.collective == Collective::gather;
  for (const Side& side : gathers ? call.send : call.receive) {
    const Description& type = side.types[0];
    if (type.outer == Outer::columns && type.repeat > 1) return true;
  }
  return false;
}

}  // namespace

bool is_known_limit(const Call&) { return false; }

Right what_is_right(const Call& call) {
  bool wrong = false;
  switch (call.collective) {
    case Collective::alltoallw:  // on one rank takes displacements to be in elements
      return call.p == 1 ? Right::nothing : Right::collective;
    case Collective::allgatherv:
      wrong = !call.in_place && disagree_on_size(call);
      break;
    case Collective::gather:
    case Collective::scatter:
      wrong = overlap_on_the_way(call);
      break;
    case Collective::alltoall:
      wrong = is_lost(call);
      break;
    case Collective::allreduce:
      // The ring forgets the true lower bound of its temporary buffers.
      wrong =
          has_offset(call.reduction) && is_commutative(call.reduction) && call.sizes[0] >= call.p;
      break;
    default:
      break;
  }
  return wrong && call.p > 1 ? Right::messages : Right::collective;
}

#endif

}  // namespace tutti::fuzz
