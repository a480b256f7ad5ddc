#include "runtime/node_transport.hpp"

namespace tutti::runtime {

// Something comes within a microsecond, or much later.
static constexpr unsigned spins = 4000, yields_before_sleep = 20;
// MPI is looked after so often: messages may be under way, and an abort must arrive.
static constexpr unsigned spins_between_looks = 256;

static Elements elements(const Piece& piece, char* at, std::size_t first, std::size_t bytes) {
  const auto& place = *static_cast<const Place*>(piece.layout);
  const auto of_bytes = [&](std::size_t count) {
    return static_cast<Units>(count) / place.packed_size;
  };
  return {at + of_bytes(first) * place.extent, of_bytes(bytes), place};
}

void NodeTransport::pack(const Piece& piece, const char* at, std::size_t first, std::size_t bytes,
                         char* to) {
  const Elements from = elements(piece, const_cast<char*>(at), first, bytes);
  note(copy_elements(from, {to, static_cast<Units>(bytes), {}}, shadow_, rank_));
}

void NodeTransport::unpack(const Piece& piece, char* at, std::size_t first, std::size_t bytes,
                           const char* from) {
  const Elements packed{const_cast<char*>(from), static_cast<Units>(bytes), {}};
  note(copy_elements(packed, elements(piece, at, first, bytes), shadow_, rank_));
}

void NodeTransport::wait_until_over(int slot) {
  wait_until([&] { return carrier_.is_over(slot); });
}

void NodeTransport::wait_until_idle() {
  wait_until([&] { return carrier_.is_idle(); });
}

void NodeTransport::wait_for_far(const Step& step) {
  wait_until([&] { return far_.test(step); });
}

template <class IsOver>
void NodeTransport::wait_until(IsOver is_over) {
  unsigned times = 0;
  while (!is_over() && !gave_up_) {
    if (carrier_.progress()) {
      times = 0;
      if (carrier_.failed()) fail();
    } else {
      rest(++times);
    }
  }
}

void NodeTransport::rest(unsigned times) {
  Medium& medium = carrier_.medium();
  const Waits waits = medium.waits();
  const bool sleeps = waits == Waits::asleep && times > yields_before_sleep;
  if (sleeps || times % spins_between_looks == 0 || times > spins) look_around();
  if (waits == Waits::spinning && times <= spins) {
    pause_a_moment();
  } else if (sleeps) {
    medium.sleep([&] {
      carrier_.look_for_failure();
      return !carrier_.progress() && !carrier_.failed();
    });
  } else {
    yield_processor();
  }
}

void NodeTransport::look_around() {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, shadow_, &found, MPI_STATUS_IGNORE);
  carrier_.look_for_failure();
  if (carrier_.failed()) fail();
}

void NodeTransport::fail() {
  gave_up_ = true;
  note(MPI_ERR_TRUNCATE);
  carrier_.give_up();
  far_.give_up();
}

}  // namespace tutti::runtime
