// Messages of a call that are under way through the medium.
//
// A send is over when its data are published, a receive when they have been taken. Both go on
// whenever they can, whatever the rank waits for. The first send that is under way may always have
// a cell, those behind it have what is left. Schedules are proved to run to the end if each send
// that is under way can be received, whatever became of sends to others: so where nothing goes on
// for want of cells, data go in the entries themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "medium/medium.hpp"
#include "medium/single_copy.hpp"

namespace tutti {

// Data that lie together and are as long are lent. Shorter ones are through two copies sooner than
// the kernel has found the pages: where two processors share a cache those of less than 28 KiB,
// where they share none those of less than 8 KiB.
inline constexpr std::size_t least_lent = 16 << 10;

// Bytes of a message that lie together, in one of a call's buffers.
struct Piece {
  std::uint8_t buffer = 0;
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0;
  const void* layout = nullptr;  // of elements with gaps, whose data are so many bytes
};
using Pieces = std::span<const Piece>;

// into[i] = left[i] op right[i]; none overlap, but that `into` may be an operand.
using Combine = void (*)(const char* left, const char* right, char* into, std::size_t elements);

// What a receive does with what it takes.
struct Target {
  Pieces pieces{};         // copied there; or, of one to be combined,
  const Piece* operand{};  // the other operand; null: it is copied
  const Piece* into{};     // and the place of the result
  bool message_is_left = true;
};

// Knows how elements with gaps lie. Of a piece at that address, the bytes of whole elements from
// `first` on are packed into `to`, or unpacked from `from`.
class Packer {
 public:
  virtual void pack(const Piece& piece, const char* at, std::size_t first, std::size_t bytes,
                    char* to) = 0;
  virtual void unpack(const Piece& piece, char* at, std::size_t first, std::size_t bytes,
                      const char* from) = 0;

 protected:
  ~Packer() = default;
};

class Carrier {
 public:
  // Long data are read where they lie, if ranks can.
  explicit Carrier(Medium& medium, SingleCopy single_copy = {});

  // Of the call with that number, which all ranks give it, and a few bits of its length, whose
  // buffers are there. Entries have whole elements of that size, one of which fits a cell. Nothing
  // is under way. `slots`: most messages under way at once.
  void begin(const std::array<char*, 3>& buffers, unsigned number, unsigned length, Combine combine,
             std::size_t element_bytes, Packer* packer, int slots);

  // Starts a message to or from that rank of the node. What `pieces` and `target` refer to outlives
  // it. Messages of a call that carry the same data to several ranks have the number of a
  // publication; their data are copied once, if readers keep up. It is 0 if there is one reader.
  void send(int slot, int peer, Pieces pieces, std::size_t bytes, std::uint32_t publication = 0);
  void receive(int slot, int peer, const Target& target, std::size_t bytes);

  bool is_over(int slot) const { return !transfers_[static_cast<std::size_t>(slot)].is_under_way; }
  bool is_idle() const { return sends_.empty() && receives_.empty(); }
  // All go on as far as they can. False if none could.
  bool progress();

  // The ranks of a call disagree: what came is of another call, or given up. Then nothing is to be
  // waited for any more.
  bool failed() const { return failed_; }
  // A message had more bytes than its receiver wanted: the rest of it was dropped.
  bool has_truncated() const { return has_truncated_; }
  // Looks whether a rank that something is to come from has given up.
  void look_for_failure();
  // Gives up all that is under way.
  void give_up();

  Medium& medium() { return medium_; }

 private:
  struct At {
    std::size_t piece = 0, offset = 0;  // in it
  };
  struct Transfer {
    bool is_under_way = false;
    int slot = 0;
    int peer = 0;
    unsigned turn = 0;  // messages to, or from, this peer that came before it
    std::size_t bytes = 0, done = 0, step = 0;  // step: of an entry, at most
    std::size_t read = 0;                       // of the entry that is lent
    std::uint64_t lent = 0;                     // the last entry that is
    std::uint32_t publication = 0;
    Target target{};  // of a send: the pieces that go
    At at{};
  };

  // What was written to a cell last: what follows so many bytes of a publication.
  struct Content {
    std::uint32_t publication = 0;
    std::size_t done = 0;
    bool operator==(const Content&) const = default;
  };

  // How many messages to, or from, a rank were started and ended.
  struct Turns {
    unsigned started = 0, ended = 0;
  };

  Transfer& transfer(int slot) { return transfers_[static_cast<std::size_t>(slot)]; }
  const Transfer& transfer(int slot) const { return transfers_[static_cast<std::size_t>(slot)]; }
  char* address(const Piece& piece) const { return buffers_[piece.buffer] + piece.offset; }
  template <class Work>
  void for_next(Transfer& transfer, std::size_t bytes, Work work);
  void gather(Transfer& send, char* to, std::size_t bytes);
  void scatter(Transfer& receive, const char* from, std::size_t bytes);
  void combine(Transfer& receive, const char* data, std::size_t bytes);
  bool go_on_sending(std::size_t place);
  bool publish_next(Transfer& send, std::size_t place);
  void publish_short(Transfer& send, std::size_t bytes);
  int cell_with_next(Transfer& send, std::size_t bytes, std::size_t place);
  bool go_without_cells();
  std::size_t to_be_lent(const Transfer& send) const;
  bool end_if_taken(Transfer& send);
  void land(Transfer& receive, const char* data, std::size_t bytes);
  bool read_lent(Transfer& receive, const Entry& entry, std::size_t bytes);
  bool go_on_receiving(std::size_t place);
  bool take_next(Transfer& receive);
  enum class Fits : std::uint8_t { yes, stale, no };
  Fits fits(const Entry& entry) const;
  // Messages between two ranks keep their order.
  bool is_next(const Transfer& transfer, const std::vector<Turns>& turns) const {
    return transfer.turn == turns[static_cast<std::size_t>(transfer.peer)].ended;
  }
  void end(Transfer& transfer, std::vector<Turns>& turns) {
    transfer.is_under_way = false;
    ++turns[static_cast<std::size_t>(transfer.peer)].ended;
  }

  Medium& medium_;
  SingleCopy single_copy_;
  std::vector<char> landing_;  // of what is read to be combined or unpacked
  std::array<char*, 3> buffers_{};
  unsigned number_ = 0;
  std::uint16_t call_ = 0;  // as entries say it
  Combine combine_ = nullptr;
  std::size_t element_bytes_ = 1;
  Packer* packer_ = nullptr;
  std::vector<Transfer> transfers_;    // by slot
  std::vector<int> sends_, receives_;  // slots, in order
  std::vector<Turns> to_, from_;       // by rank
  std::array<Content, cells_of_box> contents_{};
  bool has_publications_ = false;  // in cells
  bool failed_ = false, has_truncated_ = false;
};

}  // namespace tutti
