// A schedule made ready for one shape of call over MPI: every slice has become an offset from a
// buffer's start, a count and a datatype.
//
// Contiguous data travels as bytes. Data with gaps travels as the user's datatype, whole elements
// at a time; where a block would cut an element (only a broadcast can), the buffer is packed before
// and unpacked after. Reductions move elements. A message past INT_MAX elements, or of several
// pieces, gets a datatype of its own, made here and kept.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "runtime/datatype.hpp"
#include "schedule/schedule.hpp"

namespace tutti::runtime {

// How the units of a buffer lie in memory.
struct Place {
  MPI_Datatype type = MPI_BYTE;  // of one element
  Units unit_per_element = 1;    // data movement: bytes of an element; reductions: 1
  Units packed_size = 1;         // bytes of data in an element
  MPI_Aint extent = 1;           // bytes from one element to the next
  MPI_Aint true_lb = 0;          // where an element's first byte is, from its address
  MPI_Aint true_extent = 1;      // from there to its last
  MPI_Aint shift = 0;            // from the user's address to the first byte, for contiguous data
  bool contiguous = true;        // elements are bytes in a row: may be copied as such

  // Bytes from the first byte of the first of `elements` elements to the last of the last.
  MPI_Aint span(Units elements) const {
    return elements == 0 ? 0 : (elements - 1) * extent + true_extent;
  }
};

// Elements somewhere in memory, and how they lie there.
struct Elements {
  char* address = nullptr;
  Units count = 0;
  Place place{};

  Units bytes() const { return count * place.packed_size; }
};

using Places = std::array<Place, 3>;     // by Buffer
using Addresses = std::array<char*, 3>;  // by Buffer

// The place of data to be moved, or of operands to be reduced.
Place place_of_data(const Datatype& type);
Place place_of_operands(const Datatype& type);

// A run of elements: where, from the buffer's start, and how many.
struct Run {
  Buffer buffer = Buffer::scratch;
  MPI_Aint offset = 0;
  Units elements = 0;
};

// What a send or receive hands to MPI.
struct Message {
  Buffer buffer;
  MPI_Aint offset;
  int count;
  MPI_Datatype type;
  bool small;  // few enough bytes for a blocking send to cost less than an immediate one
  // A receive, completed by the send that comes next: the two are one MPI_Sendrecv, issued there.
  bool with_next = false;
};

class Plan {
 public:
  Plan(Schedule schedule, const Places& places);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Schedule& schedule() const { return schedule_; }
  const Message& message(std::uint32_t step) const { return messages_[step]; }
  // Whether the message is the send of a pair, with the receive before it.
  bool with_previous(std::uint32_t step) const { return step > 0 && messages_[step - 1].with_next; }
  // The slices of a local step, in its order.
  const std::array<Run, 3>& operands(std::uint32_t step) const { return operands_[step]; }
  const Place& place(Buffer buffer) const { return places_[static_cast<std::size_t>(buffer)]; }
  std::size_t bytes() const;

 private:
  Run run_of(const Slice& slice) const;
  Message message_of(const Step& step);
  void pair_small_exchanges();
  Message large_or_scattered(const std::vector<Run>& runs);

  Schedule schedule_;
  Places places_;
  std::vector<Message> messages_;             // by step
  std::vector<std::array<Run, 3>> operands_;  // by step
  std::vector<MPI_Datatype> made_;            // to be freed
};

// Whether every slice of the buffer starts and ends at whole elements.
bool cuts_no_element(const Schedule& schedule, Buffer buffer, Units unit_per_element);

}  // namespace tutti::runtime
