// The memory that ranks of one node share: a box for each, which it alone writes.
//
// A message travels as entries. Each rank has a ring of them for every other rank; an entry has
// short data in itself, and names the cell where long data lies. A cell may be named by entries for
// several ranks: data that goes to all of them is written once. A rank says how many entries it has
// taken from another in a counter of its own box, by which the other knows what it may write again.
//
// Whatever is waited for has one writer, a line of its own, and only grows: entries carry how many
// came before them. Nothing is ever reset.
//
// The orders of memory: an entry's number is stored behind its data and its cell (release), and
// loaded before them (acquire); so is the counter behind the reader's last look at them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "medium/waiting.hpp"

namespace tutti {

// Those of a box are to stay in its writer's second-level cache. Other sizes were not tried.
inline constexpr std::size_t cell_bytes = 16 << 10;
inline constexpr int cells_of_box = 8, entries_of_ring = 8;
// A writer hears of so many short entries at once that were taken.
inline constexpr int told_at_once = 4;
// Processors fetch lines in pairs.
inline constexpr std::size_t line_bytes = 128;

// Of the call that an entry belongs to: so many bits of its number, then of its length.
inline constexpr int call_number_bits = 10, call_length_bits = 6;

struct alignas(line_bytes) Entry {
  static constexpr std::size_t lines = 3, room = lines * line_bytes - 16;
  static constexpr std::int8_t is_here = -1;  // the data are in the entry
  static constexpr std::int8_t is_lent = -2;  // their address is: they lie with the sender

  std::atomic<std::uint64_t> number;  // one more than came before it
  std::uint32_t bytes;
  std::uint16_t call;
  std::int8_t cell;      // that the data are in, or
  std::uint8_t is_last;  // of its message
  char data[room];
};
static_assert(sizeof(Entry) == Entry::lines * line_bytes &&
              std::atomic<std::uint64_t>::is_always_lock_free);

struct alignas(line_bytes) Counter {
  std::atomic<std::uint64_t> value;
};

// One rank's access to it. Not for several threads at once.
class Medium {
 public:
  // Of the boxes of so many ranks; one box is a whole number of pages.
  static std::size_t bytes(int ranks) { return static_cast<std::size_t>(ranks) * box_bytes(ranks); }
  static std::size_t box_bytes(int ranks);

  // Of rank `me` of `ranks`, in memory that was zero when the first of them began. The memory
  // outlives it.
  Medium(char* memory, int ranks, int me, Waits waits);

  int ranks() const { return static_cast<int>(peers_.size()); }
  Waits waits() const { return waits_; }

  // What another rank has published for this one, first come first taken.
  const Entry* next_from(int peer) const {
    const Peer& from = peers_[static_cast<std::size_t>(peer)];
    const Entry& entry = from.theirs[from.taken % entries_of_ring];
    return entry.number.load(std::memory_order_seq_cst) == from.taken + 1 ? &entry : nullptr;
  }
  // Not of what is lent.
  const char* data_of(int peer, const Entry& entry) const {
    return entry.cell < 0 ? entry.data
                          : peers_[static_cast<std::size_t>(peer)].cells + entry.cell * cell_bytes;
  }
  // The next from this rank will not be looked at again. It need not hear of each short one: that
  // would cost it and this rank a line each time.
  void take_from(int peer) {
    Peer& from = peers_[static_cast<std::size_t>(peer)];
    const Entry& entry = from.theirs[from.taken % entries_of_ring];
    const bool is_short = entry.cell == Entry::is_here;
    if (++from.taken % told_at_once != 0 && is_short) return;
    store(from.i_took->value, from.taken);
    wake(from);
  }

  // Whether an entry for that rank can be written.
  bool has_room_for(int peer) {
    Peer& to = peers_[static_cast<std::size_t>(peer)];
    return to.published - to.they_took < entries_of_ring || look_what_was_taken(to);
  }
  // Whether that rank has taken the entry with that number, which was lent.
  bool has_taken(int peer, std::uint64_t number) {
    Peer& to = peers_[static_cast<std::size_t>(peer)];
    return to.they_took >= number || (look_what_was_taken(to), to.they_took >= number);
  }
  // Whether it has taken all that was published for it, but for short entries of which it need not
  // tell.
  bool has_taken_most(int peer) {
    const Peer& to = peers_[static_cast<std::size_t>(peer)];
    return has_taken(peer, to.published - std::min<std::uint64_t>(to.published, told_at_once - 1));
  }
  // A cell that nobody reads any more, if more than `others` are left behind it; else below 0.
  int free_cell(int others);
  char* cell(int number) { return cells_ + static_cast<std::size_t>(number) * cell_bytes; }

  // Where short data is to be written before they are published. There is room.
  char* short_data(int peer) { return next_to(peer).data; }
  void publish_short(int peer, std::size_t bytes, std::uint16_t call, bool is_last) {
    publish(peer, bytes, call, Entry::is_here, is_last);
  }
  // Of data that lie there, and stay as they are until the entry is taken. Returns its number.
  std::uint64_t lend(int peer, const char* address, std::size_t bytes, std::uint16_t call,
                     bool is_last) {
    std::memcpy(short_data(peer), &address, sizeof address);
    publish(peer, bytes, call, Entry::is_lent, is_last);
    return peers_[static_cast<std::size_t>(peer)].published;
  }
  static const char* lent_at(const Entry& entry) {  // in its sender's memory
    const char* address = nullptr;
    std::memcpy(&address, entry.data, sizeof address);
    return address;
  }
  // Of a free cell, filled; to one rank after the other.
  void publish_cell(int peer, int cell, std::size_t bytes, std::uint16_t call, bool is_last);

  // This rank gives up a call, by its whole number: those who wait for its messages give up too.
  void give_up(unsigned call) {
    store(mine_gave_up_->value, std::uint64_t{1} + call);
    for (const Peer& peer : peers_) wake(peer);
  }
  bool gave_up(int peer, unsigned call) const {
    const Counter& of_peer = *peers_[static_cast<std::size_t>(peer)].gave_up;
    return of_peer.value.load(std::memory_order_seq_cst) == std::uint64_t{1} + call;
  }

  // This rank sleeps until another has published for it, taken from it or given up, if `is_idle`
  // says, once it is known to be asleep, that nothing has come. At most a while.
  template <class IsIdle>
  void sleep(IsIdle is_idle) {
    asleep_->store(1, std::memory_order_seq_cst);
    if (is_idle()) sleep_while(*asleep_, 1);
    asleep_->store(0, std::memory_order_relaxed);
  }

 private:
  struct Peer {
    Entry* mine;  // for it
    Counter* they_took_here;
    std::uint64_t published = 0, they_took = 0;
    const Entry* theirs;  // for this rank
    Counter* i_took;
    std::uint64_t taken = 0;
    const char* cells;
    const Counter* gave_up;
    std::atomic<std::uint32_t>* asleep;
  };
  struct Holder {
    int peer;
    std::uint64_t number;
  };

  Entry& next_to(int peer) {
    const Peer& to = peers_[static_cast<std::size_t>(peer)];
    return to.mine[to.published % entries_of_ring];
  }
  void publish(int peer, std::size_t bytes, std::uint16_t call, int cell, bool is_last) {
    Peer& to = peers_[static_cast<std::size_t>(peer)];
    Entry& entry = next_to(peer);
    entry.bytes = static_cast<std::uint32_t>(bytes);
    entry.call = call;
    entry.cell = static_cast<std::int8_t>(cell);
    entry.is_last = is_last ? 1 : 0;
    store(entry.number, ++to.published);
    wake(to);
  }
  bool look_what_was_taken(Peer& to) {
    to.they_took = to.they_took_here->value.load(std::memory_order_seq_cst);
    return to.published - to.they_took < entries_of_ring;
  }
  // Before a look whether anybody sleeps, where ranks do.
  void store(std::atomic<std::uint64_t>& to, std::uint64_t value) {
    // GCC takes an order that is not a constant for the strongest: an exchange, at each message.
    if (waits_ == Waits::asleep) {
      to.store(value, std::memory_order_seq_cst);
    } else {
      to.store(value, std::memory_order_release);
    }
  }
  void wake(const Peer& peer) {
    if (waits_ == Waits::asleep && peer.asleep->load(std::memory_order_seq_cst) != 0) {
      wake_up(*peer.asleep);
    }
  }
  bool is_free(std::vector<Holder>& holders);

  Waits waits_;
  std::vector<Peer> peers_;
  char* cells_;
  Counter* mine_gave_up_;
  std::atomic<std::uint32_t>* asleep_;
  std::vector<std::vector<Holder>> holders_;  // by cell: who may still read it
  int next_cell_ = 0;
};

}  // namespace tutti
