#include "runtime/transport.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>

namespace tutti::runtime {

// No message of a schedule has it.
static constexpr int copy_tag = 1 << 15;

int copy_elements(const Elements& from, const Elements& to, MPI_Comm shadow, int rank) {
  if (from.place.contiguous && to.place.contiguous) {
    std::memmove(to.address, from.address,
                 static_cast<std::size_t>(from.count * from.place.packed_size));
    return MPI_SUCCESS;
  }
  // In pieces whose elements, and bytes, an int can count.
  const Units piece = std::max(from.place.packed_size, to.place.packed_size);
  const Units bytes = from.count * from.place.packed_size;
  const Units most = std::max<Units>((1 << 30) / piece, 1) * piece;
  for (Units done = 0; done < bytes; done += most) {
    const Units now = std::min(most, bytes - done);
    const auto address = [&](const Elements& side) {
      return side.address + done / side.place.packed_size * side.place.extent;
    };
    const auto count = [&](const Elements& side) {
      return static_cast<int>(now / side.place.packed_size);
    };
    const int result =
        PMPI_Sendrecv(address(from), count(from), from.place.type, rank, copy_tag, address(to),
                      count(to), to.place.type, rank, copy_tag, shadow, MPI_STATUS_IGNORE);
    if (result != MPI_SUCCESS) return result;
  }
  return MPI_SUCCESS;
}

void MpiTransport::apply(const char* left, char* right_and_result, Units elements,
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
void MpiTransport::reduce(const Step& step, std::uint32_t) {
  const Run left = plan_.run(step, 0);
  const Run right = plan_.run(step, 1);
  const Run into = plan_.run(step, 2);
  const Place& place = plan_.place(into.buffer);
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

void MpiTransport::copy(const Step& step, std::uint32_t) {
  copy_run(plan_.run(step, 0), plan_.run(step, 1));
}

}  // namespace tutti::runtime
