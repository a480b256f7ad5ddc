// A schedule made ready for one shape of call over MPI: every slice has become an offset from a
// buffer's address, a count and a datatype.
//
// Contiguous data travels as bytes. Data with gaps travels as the user's datatype, whole elements
// at a time; where a block would cut an element (only a broadcast can), the buffer is packed before
// and unpacked after. Reductions move elements. A message past INT_MAX elements, or of several
// pieces, gets a datatype of its own, made here and kept.
#pragma once

#include <mpi.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "medium/carrier.hpp"
#include "passes/lowering.hpp"
#include "runtime/by.hpp"
#include "runtime/datatype.hpp"
#include "schedule/schedule.hpp"

namespace tutti::runtime {

// How elements lie in memory.
struct Place {
  MPI_Datatype type = MPI_BYTE;  // of one element
  Units unit_per_element = 1;    // data movement: bytes of an element; reductions: 1
  Units packed_size = 1;         // bytes of data in an element
  MPI_Aint extent = 1;           // bytes from one element to the next
  MPI_Aint true_lb = 0;          // where an element's first byte is, from its address
  MPI_Aint true_extent = 1;      // from there to its last
  bool contiguous = true;        // elements are bytes in a row: may be copied as such
  bool at_bottom = false;        // addresses count from MPI_BOTTOM

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

// Units of a buffer that lie together: one block of an irregular call, otherwise all of them.
struct Area {
  Units first = 0;  // unit of the buffer
  Units units = 0;
  MPI_Aint offset = 0;  // of the first element, from the buffer's address
  Place place{};

  Units end() const { return first + units; }
  Units elements() const { return units / place.unit_per_element; }
};
using Areas = std::vector<Area>;  // of one buffer, in order

inline Units units_of(const Areas& areas) {
  Units sum = 0;
  for (const Area& area : areas) sum += area.units;
  return sum;
}

using AreasByBuffer = std::array<Areas, 3>;
using Addresses = std::array<char*, 3>;  // by Buffer

// `count` elements of data to be moved, or of operands to be reduced, at `offset`.
Area area_of_data(const Datatype& type, Units first, Units count, MPI_Aint offset);
Area area_of_operands(const Datatype& type, Units count);

// A run of elements: where, from the buffer's address, how many, and how they lie.
struct Run {
  Buffer buffer = Buffer::scratch;
  MPI_Aint offset = 0;
  Units elements = 0;
  const Place* place = nullptr;
};
// What a local step does at once: copy: from, to; reduce: left, right, into.
using Operands = std::array<Run, 3>;

// What a send or receive hands to MPI.
struct Message {
  Buffer buffer;
  MPI_Aint offset;
  int count;
  MPI_Datatype type;
  bool small;  // few enough bytes for a blocking send to cost less than an immediate one
};

// A message to or from a rank with which this one shares memory.
struct Near {
  int peer = -1;  // of the node's ranks; below 0: no such message
  std::uint32_t first = 0, pieces = 0;
  std::size_t bytes = 0;
  std::uint32_t publication = 0;  // as passes/publications.hpp numbers them
  // Of recv_reduce, whose pieces are the other operand and the result.
  bool combines = false, message_is_left = false;
};
class NodeMemory;

// How schedules' messages are carried, but for fragments: in MPICH one call costs less than three
// where both messages of an exchange are small; Open MPI's MPI_Sendrecv makes the same three.
Carriage usual_carriage();

// Datatypes, and those that take their places: of the input and of the output.
using Renamed = std::array<std::pair<MPI_Datatype, MPI_Datatype>, 2>;
void rename(Areas& areas, const Renamed& types);

class Plan {
 public:
  // `spare` is scratch of the transport's own, behind the schedule's. Messages to ranks that have a
  // place in `memory`, which may be null, go there.
  Plan(Schedule schedule, AreasByBuffer areas, const Slice& spare = {},
       const NodeMemory* memory = nullptr);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Schedule& schedule() const { return schedule_; }
  const Message& message(std::uint32_t step) const { return messages_[step]; }
  // Whether any message goes by MPI.
  bool has_far() const { return has_far_; }
  By by() const {
    if (near_.empty()) return By::messages;
    return has_far_ ? By::both : By::memory;
  }
  // Whether any message goes through memory.
  bool has_near() const { return !near_.empty(); }
  bool is_near(std::uint32_t step) const { return has_near() && near_[step].peer >= 0; }
  const Near& near(std::uint32_t step) const { return near_[step]; }
  Pieces pieces(const Near& near) const { return {pieces_.data() + near.first, near.pieces}; }
  Target target(const Near& near) const {
    const Piece* const first = pieces_.data() + near.first;
    if (near.combines) return {{}, first, first + 1, near.message_is_left};
    return {pieces(near)};
  }
  std::size_t element_bytes() const { return element_bytes_; }
  // What a local step does, one after the other.
  std::span<const Operands> operands(std::uint32_t step) const {
    const auto [first, count] = local_[step];
    return {operands_.data() + first, count};
  }
  // Makes it serve other datatypes, whose elements are as large and as far apart. False if it has
  // datatypes made of those that it was for.
  bool rename_types(const Renamed& types);
  const Run& spare() const { return spare_; }
  std::size_t bytes() const;

 private:
  std::vector<Run> runs_of(const Slice& slice) const;
  std::vector<Run> runs_of(const Step& step) const;
  void add_local(const Step& step);
  Message message_of(const Step& step);
  Message large_or_scattered(const std::vector<Run>& runs);
  Near near_of(const Step& step, int peer);
  void note_publications();

  Schedule schedule_;
  AreasByBuffer areas_;
  std::vector<Message> messages_;  // by step
  std::vector<Operands> operands_;
  Run spare_;
  std::vector<Near> near_;  // by step; empty if there is none
  std::vector<Piece> pieces_;
  std::size_t element_bytes_ = 1;
  bool has_far_ = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> local_;  // by step: first operands, how many
  std::vector<MPI_Datatype> made_;                              // to be freed
};

// The most elements that a reduction leaves in the place of its left operand.
Units most_left_in_left(const Schedule& schedule);

// Whether every slice of the buffer starts and ends at whole elements.
bool cuts_no_element(const Schedule& schedule, Buffer buffer, const Areas& areas);

}  // namespace tutti::runtime
