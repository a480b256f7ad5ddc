#include "runtime/transport.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

namespace tutti::runtime {

// Schedules have no messages to oneself.
static constexpr int copy_tag = 0;

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

// Calls work(address, datatype) with an address that is none but where the data begin: from
// MPI_BOTTOM itself MPICH 4.0.2 packs nothing.
template <class Work>
int with_address(const Elements& elements, Work work) {
  if (!elements.place.at_bottom) return work(elements.address, elements.place.type);
  const int once = 1;
  const MPI_Aint start = -elements.place.true_lb;
  MPI_Datatype shifted = MPI_DATATYPE_NULL;
  int result = PMPI_Type_create_struct(1, &once, &start, &elements.place.type, &shifted);
  if (result != MPI_SUCCESS) return result;
  result = PMPI_Type_commit(&shifted);
  if (result == MPI_SUCCESS) result = work(elements.address + elements.place.true_lb, shifted);
  PMPI_Type_free(&shifted);
  return result;
}

// MPICH 4.0.2 sometimes stops a few bytes early at absolute addresses, and says so only here.
int complete(int result, int position, Units size) {
  return result == MPI_SUCCESS && position < size ? MPI_ERR_TRUNCATE : result;
}

int pack(const Elements& from, char* to, MPI_Comm shadow) {
  const Units size = from.place.packed_size;
  return with_address(from, [&](const char* address, MPI_Datatype type) {
    return in_batches(from.count, size, [&](Units first, int count) {
      int position = 0;
      const int result =
          PMPI_Pack(address + first * from.place.extent, count, type, to + first * size,
                    static_cast<int>(count * size), &position, shadow);
      return complete(result, position, count * size);
    });
  });
}

int unpack(char* from, const Elements& to, MPI_Comm shadow) {
  const Units size = to.place.packed_size;
  return with_address(to, [&](char* address, MPI_Datatype type) {
    return in_batches(to.count, size, [&](Units first, int count) {
      int position = 0;
      const int result = PMPI_Unpack(from + first * size, static_cast<int>(count * size), &position,
                                     address + first * to.place.extent, count, type, shadow);
      return complete(result, position, count * size);
    });
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
  if (from.place.contiguous && to.place.contiguous) {
    std::memmove(to.address, from.address, static_cast<std::size_t>(from.bytes()));
    return MPI_SUCCESS;
  }
  int result = MPI_ERR_TRUNCATE;
  if (to.place.contiguous) result = pack(from, to.address, shadow);
  if (from.place.contiguous) result = unpack(from.address, to, shadow);
  return result == MPI_ERR_TRUNCATE ? send_to_self(from, to, shadow, rank) : result;
}

// In one call, if an int can say how many. Parts begin where vectors do: the library's arithmetic
// may depend on that.
void MpiTransport::apply(const Run& left, const Run& right) {
  constexpr Units part = 1 << 30;
  const Units most = right.elements <= INT_MAX ? right.elements : part;
  for (Units first = 0; first < right.elements; first += most) {
    const Units count = std::min(most, right.elements - first);
    const MPI_Aint offset = first * right.place->extent;
    note(PMPI_Reduce_local(at(left) + offset, at(right) + offset, static_cast<int>(count),
                           right.place->type, op_));
  }
}

// Not by PMPI_Test: that of MPICH looks for other messages even if this one is complete.
bool MpiTransport::test(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;
  int done = 0;
  note(PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE));
  if (done != 0) {
    note(PMPI_Wait(&request, MPI_STATUS_IGNORE));
  } else if (watch_ != nullptr && watch_->sees_disagreement()) {
    give_up();
  }
  return done != 0 || gave_up_;
}

void MpiTransport::give_up() {
  gave_up_ = true;
  note(MPI_ERR_TRUNCATE);
  const std::vector<Step>& steps = plan_.schedule().steps;
  for (std::uint32_t i = last_ + 1; i-- > 0;) {
    if (!steps[i].is_message() || plan_.is_near(i)) continue;
    MPI_Request& request = requests_[steps[i].slot];
    if (request == MPI_REQUEST_NULL) continue;
    if (steps[i].kind == Kind::recv) PMPI_Cancel(&request);  // nothing is to be written later
    PMPI_Request_free(&request);
  }
  if (watch_ != nullptr) watch_->tell_others();
}

void MpiTransport::wait_for_some(std::span<const Step* const> messages) {
  std::array<MPI_Request, most_strands> requests;
  std::array<int, most_strands> ended;
  for (std::size_t i = 0; i < messages.size(); ++i) requests[i] = requests_[messages[i]->slot];
  if (watch_ != nullptr) {  // whoever asks goes on with those that are complete
    while (std::ranges::none_of(messages, [&](const Step* each) { return test(*each); })) {
    }
    return;
  }
  int count = 0;
  const int result = PMPI_Waitsome(static_cast<int>(messages.size()), requests.data(), &count,
                                   ended.data(), statuses_);
  if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) {
    note(result);
    return wait(*messages.front());
  }
  for (int i = 0; i < count; ++i) {
    const auto which = static_cast<std::size_t>(ended[static_cast<std::size_t>(i)]);
    requests_[messages[which]->slot] = requests[which];
    if (result == MPI_ERR_IN_STATUS) note(statuses_[i].MPI_ERROR);
  }
}

void MpiTransport::wait_for_all() {
  const int slots = plan_.schedule().slots;
  if (watch_ != nullptr) {
    for (int i = 0; i < slots; ++i) wait_watched(requests_[i]);
    return;
  }
  const int result = PMPI_Waitall(slots, requests_, statuses_);
  if (result != MPI_ERR_IN_STATUS) return note(result);
  for (int i = 0; i < slots; ++i) {
    if (statuses_[i].MPI_ERROR != MPI_ERR_PENDING) note(statuses_[i].MPI_ERROR);
    // After an error others may still be under way.
    if (requests_[i] != MPI_REQUEST_NULL) note(PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE));
  }
}

// into = left op right. MPI_Reduce_local leaves its result in the right operand. The operands keep
// their order also where the operator commutes: of two that are equal, or of which one is no
// number, it may return either, and all ranks must get the same.
void MpiTransport::reduce_by_library(const Run& left, const Run& right, const Run& into) {
  const auto is_result = [&](const Run& run) {
    return run.buffer == into.buffer && run.offset == into.offset;
  };
  if (is_result(left)) return reduce_into_left(left, right);
  if (!is_result(right)) copy_run(right, into);
  apply(left, into);
}

// By way of the plan's spare memory, as much at a time as that holds.
void MpiTransport::reduce_into_left(const Run& left, const Run& right) {
  const auto part = [](Run run, Units first, Units elements) {
    run.offset += first * run.place->extent;
    run.elements = elements;
    return run;
  };
  const Run& spare = plan_.spare();
  for (Units first = 0; first < left.elements; first += spare.elements) {
    const Units count = std::min(spare.elements, left.elements - first);
    const Run result = part(left, first, count), kept = part(spare, 0, count);
    copy_run(part(right, first, count), kept);
    apply(result, kept);
    copy_run(kept, result);
  }
}

}  // namespace tutti::runtime
