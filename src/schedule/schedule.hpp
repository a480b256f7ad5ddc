// What one rank does in one collective call.
//
// A schedule is data: an ordered list of sends, receives, reductions and copies on slices of three
// buffers. It is run over MPI, proved, timed, counted and drawn by others; nothing here knows MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti {

using Rank = int;
// Bytes of the packed stream for data movement, elements for reductions.
using Units = std::int64_t;

// `in` is only read; `out` receives the result; `scratch` is private to the call. `message` is what
// a recv_reduce receives: in no memory of this rank.
enum class Buffer : std::uint8_t { in, out, scratch, message };

struct Slice {
  Buffer buffer = Buffer::scratch;
  Units offset = 0;
  Units size = 0;

  Units end() const { return offset + size; }
  bool operator==(const Slice&) const = default;
};

// The pieces of one message, in the order they travel; all in one buffer.
using Slices = std::vector<Slice>;
using Places = std::span<const Slice>;  // the same, seen

inline bool overlap(const Slice& a, const Slice& b) {
  return a.buffer == b.buffer && a.offset < b.end() && b.offset < a.end();
}

// Whether a place of one list shares memory with one of the other. In linear time if both are in
// the order of their offsets, but for a few places where they begin again.
bool overlap_of_many(Places some, Places others);
inline bool overlap(Places some, Places others) {
  if (some.empty() || others.empty()) return false;
  if (some.size() == 1 && others.size() == 1) return overlap(some.front(), others.front());
  return overlap_of_many(some, others);
}

// By buffer and offset; they are apart.
void put_in_order(std::span<Slice> places);
// Whether one of some shares memory with one of those that are in order. In logarithmic time for
// each.
bool overlap_ordered(Places some, Places ordered);

// The part of `whole` from `offset` on, `size` units long.
inline Slice part(const Slice& whole, Units offset, Units size) {
  return {whole.buffer, whole.offset + offset, size};
}

Units size_of(const Slices& pieces);
// The one piece they make if each begins where the one before it ends; empty ones do not count.
std::optional<Slice> as_one(const Slices& pieces);

// A recv_reduce receives, waits for what it receives, and combines it from where it lies.
enum class Kind : std::uint8_t { send, recv, reduce, copy, recv_reduce };

const char* to_string(Kind kind);
const char* to_string(Buffer buffer);

inline constexpr int most_strands = 4;

struct Step {
  Kind kind = Kind::copy;
  std::uint8_t strand = 0;  // below Schedule::strands
  // Whether it and the step after it are one exchange: both are posted before either is completed.
  bool joined = false;
  std::uint16_t ahead = 1;   // recv: so many rounds before its own it may be posted
  Rank peer = -1;            // message: the other rank, in the communicator's numbering
  int tag = 0;               // message: how many went before it between these two ranks this way
  int round = -1;            // for passes, counting, simulating and drawing; not for running
  int slot = -1;             // message: where its request is kept while it is outstanding
  std::uint32_t slices = 0;  // first slice: of send and recv the message's pieces; copy: from, to;
  std::uint32_t pieces = 0;  //   reduce and recv_reduce: left, right, into
  std::uint32_t waits = 0;   // first of the earlier sends and receives this step waits for
  std::uint32_t wait_count = 0;

  bool is_message() const { return is_receive() || kind == Kind::send; }
  bool is_receive() const { return kind == Kind::recv || kind == Kind::recv_reduce; }
  bool reduces() const { return kind == Kind::reduce || kind == Kind::recv_reduce; }
  bool computes() const { return reduces() || kind == Kind::copy; }
  bool operator==(const Step&) const = default;
};

// All places of a step, and those it writes: of one that computes the last.
inline Places touched(const Step& step, const std::vector<Slice>& slices) {
  return std::span(slices).subspan(step.slices, step.pieces);
}
inline Places written(const Step& step, const std::vector<Slice>& slices) {
  const Places all = touched(step, slices);
  if (step.kind == Kind::send || all.empty()) return {};
  return step.kind == Kind::recv ? all : all.last(1);
}

// Whether the two steps cannot trade places: one writes what the other reads or writes.
inline bool conflict(const Step& a, const Step& b, const std::vector<Slice>& slices) {
  return overlap(written(a, slices), touched(b, slices)) ||
         overlap(touched(a, slices), written(b, slices));
}

// Steps are issued in order. Before a step is issued, the sends and receives in its wait list are
// completed; whatever is still outstanding after the last step is completed then (`last_waits`).
//
// A recv_reduce is complete before the step after it is issued; nothing waits for it.
//
// An exchange is a send and a receive, one directly after the other, the second of which waits for
// nothing. If the receive comes first it is completed with the send.
//
// There may be several strands: each one's steps are issued in order, and where one has to wait the
// others go on. None touches what another writes, or waits for its messages.
struct Schedule {
  std::vector<Step> steps;
  std::vector<Slice> slices;
  std::vector<std::uint32_t> waits;  // step numbers
  std::vector<std::uint32_t> last_waits;
  Slices blank;  // scratch that may be sent before it is written: what it holds is for nobody
  Units scratch = 0;
  int rounds = 0;
  int strands = 1;  // at most most_strands
  int slots = 0;    // most sends and receives outstanding at once
  // So many of the first steps may be issued earlier than the others: messages that wait for
  // nothing.
  std::uint32_t lead = 0;
  // Whether messages with data do not leave before their receives are posted, however short they
  // are. Else whoever carries them decides.
  bool synchronous = false;

  std::size_t bytes() const;  // of memory for steps, slices and waits
  const Slice* slices_of(const Step& step) const { return slices.data() + step.slices; }
  Units size_of(const Step& step) const;  // units a message carries, or a local step touches
  bool operator==(const Schedule&) const = default;
};

// Gives every message a slot, one that none under way has, nor any of another strand; `slots`
// becomes their number.
void assign_slots(Schedule& schedule);

// One line per step, for people.
std::string to_string(const Schedule& schedule);

}  // namespace tutti
