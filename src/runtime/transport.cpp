#include "runtime/transport.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>

namespace tutti::runtime {

// No message of a schedule has it.
static constexpr int copy_tag = 1 << 15;

namespace {

// Calls batch(elements) for as many as MPI takes at once: counts, also of bytes, are ints.
template <class Batch>
int in_batches(Units elements, Units element_bytes, Batch batch) {
  const Units most = std::max<Units>((1 << 30) / std::max<Units>(element_bytes, 1), 1);
  for (Units first = 0; first < elements; first += most) {
    const int result = batch(first, static_cast<int>(std::min(most, elements - first)));
    if (result != MPI_SUCCESS) return result;
  }
  return MPI_SUCCESS;
}

int pack(const Elements& from, char* to, MPI_Comm shadow) {
  const Units size = from.place.packed_size;
  return in_batches(from.count, size, [&](Units first, int count) {
    int position = 0;
    return PMPI_Pack(from.address + first * from.place.extent, count, from.place.type,
                     to + first * size, static_cast<int>(count * size), &position, shadow);
  });
}

int unpack(char* from, const Elements& to, MPI_Comm shadow) {
  const Units size = to.place.packed_size;
  return in_batches(to.count, size, [&](Units first, int count) {
    int position = 0;
    return PMPI_Unpack(from + first * size, static_cast<int>(count * size), &position,
                       to.address + first * to.place.extent, count, to.place.type, shadow);
  });
}

// The sides may be divided into elements differently; then they go whole, and ints must count them.
int send_to_self(const Elements& from, const Elements& to, MPI_Comm shadow, int rank) {
  const auto exchange = [&](Units first, Units from_count, Units to_count) {
    return PMPI_Sendrecv(from.address + first * from.place.extent, static_cast<int>(from_count),
                         from.place.type, rank, copy_tag, to.address + first * to.place.extent,
                         static_cast<int>(to_count), to.place.type, rank, copy_tag, shadow,
                         MPI_STATUS_IGNORE);
  };
  if (from.count == to.count) {
    return in_batches(from.count, from.place.packed_size,
                      [&](Units first, int count) { return exchange(first, count, count); });
  }
  if (std::max(from.count, to.count) > INT_MAX) return MPI_ERR_COUNT;
  return exchange(0, from.count, to.count);
}

}  // namespace

int copy_elements(const Elements& from, const Elements& to, MPI_Comm shadow, int rank) {
  // MPICH 4.0.2 packs nothing from MPI_BOTTOM, and loses the last bytes of what lies behind it.
  const bool at_bottom = from.place.at_bottom || to.place.at_bottom;
  if (at_bottom || (!from.place.contiguous && !to.place.contiguous)) {
    return send_to_self(from, to, shadow, rank);
  }
  if (!from.place.contiguous) return pack(from, to.address, shadow);
  if (!to.place.contiguous) return unpack(from.address, to, shadow);
  std::memmove(to.address, from.address, static_cast<std::size_t>(from.bytes()));
  return MPI_SUCCESS;
}

void MpiTransport::apply_by_library(const char* left, char* right_and_result, Units elements,
                                    const Place& place) {
  while (elements > 0) {
    const int count = static_cast<int>(std::min<Units>(elements, INT_MAX));
    note(PMPI_Reduce_local(left, right_and_result, count, place.type, op_));
    left += count * place.extent;
    right_and_result += count * place.extent;
    elements -= count;
  }
}

// into = left op right. MPI_Reduce_local leaves its result in the right operand; where that is not
// wanted, the operands trade places, or, if their order counts, a copy is made.
void MpiTransport::reduce(const Operands& operands) {
  const auto& [left, right, into] = operands;
  const Place& place = *into.place;
  if (at(into) == at(right)) return apply(at(left), at(into), into.elements, place);
  if (at(into) != at(left)) {
    copy_run(right, into);
    return apply(at(left), at(into), into.elements, place);
  }
  if (commutative_) return apply(at(right), at(into), into.elements, place);
  const auto bytes = static_cast<std::size_t>(place.span(into.elements));
  const std::unique_ptr<char[]> kept(new char[bytes]);
  std::memcpy(kept.get(), at(into) + place.true_lb, bytes);
  copy_run(right, into);
  apply(kept.get() - place.true_lb, at(into), into.elements, place);
}

}  // namespace tutti::runtime
