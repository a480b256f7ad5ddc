#include "medium/carrier.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

namespace {

// So many cells are left to the first send that is under way.
constexpr int kept_for_first = 2;

// Of one entry.
constexpr std::size_t most_lent = 1 << 30;
// Read at a time: other messages go on between.
constexpr std::size_t read_at_once = 256 << 10;
// And where what is read is to be combined, which should find it in the cache. With 32 and 64 KiB
// sums took up to 1.2 times as long, as each read asks the kernel; with 256 KiB about as long.
constexpr std::size_t landing_bytes = 128 << 10;

constexpr unsigned calls_told_apart = 1u << call_number_bits;

// Of an entry of a message. The reader works on one while the next is written, so short messages
// have several; but each costs a line that goes from one processor to another.
std::size_t step_of(std::size_t bytes, std::size_t element_bytes) {
  constexpr std::size_t parts = 8, least = 4096;
  const std::size_t wanted = std::clamp((bytes + parts - 1) / parts, least, cell_bytes);
  return std::max(wanted / element_bytes, std::size_t{1}) * element_bytes;
}

}  // namespace

Carrier::Carrier(Medium& medium, SingleCopy single_copy)
    : medium_(medium),
      single_copy_(std::move(single_copy)),
      to_(static_cast<std::size_t>(medium.ranks())),
      from_(static_cast<std::size_t>(medium.ranks())) {
  constexpr std::size_t usual = 64;
  transfers_.resize(usual);
  sends_.reserve(usual);
  receives_.reserve(usual);
}

void Carrier::begin(const std::array<char*, 3>& buffers, unsigned number, unsigned length,
                    Combine combine, std::size_t element_bytes, Packer* packer, int slots) {
  buffers_ = buffers;
  number_ = number;
  call_ = static_cast<std::uint16_t>(number % calls_told_apart | length << call_number_bits);
  combine_ = combine;
  element_bytes_ = element_bytes;
  packer_ = packer;
  failed_ = has_truncated_ = false;
  if (std::exchange(has_publications_, false)) contents_.fill({});
  if (const auto needed = static_cast<std::size_t>(slots); transfers_.size() < needed) {
    transfers_.resize(needed);
    sends_.reserve(needed);
    receives_.reserve(needed);
  }
}

void Carrier::send(int slot, int peer, Pieces pieces, std::size_t bytes,
                   std::uint32_t publication) {
  Transfer& send = transfer(slot);
  const bool is_simple = pieces.size() <= 1 && (pieces.empty() || pieces[0].layout == nullptr);
  if (bytes <= Entry::room && is_simple && sends_.empty() && medium_.has_room_for(peer)) {
    if (bytes > 0) std::memcpy(medium_.short_data(peer), address(pieces[0]), bytes);
    medium_.publish_short(peer, bytes, call_, true);
    send.is_under_way = false;
    return;
  }
  send = {.is_under_way = true,
          .slot = slot,
          .peer = peer,
          .turn = to_[static_cast<std::size_t>(peer)].started++,
          .bytes = bytes,
          .step = step_of(bytes, element_bytes_),
          .publication = publication,
          .target = {pieces}};
  sends_.push_back(slot);
  while (go_on_sending(sends_.size() - 1)) {
  }
  if (!send.is_under_way) sends_.pop_back();
}

void Carrier::receive(int slot, int peer, const Target& target, std::size_t bytes) {
  transfer(slot) = {.is_under_way = true,
                    .slot = slot,
                    .peer = peer,
                    .turn = from_[static_cast<std::size_t>(peer)].started++,
                    .bytes = bytes,
                    .target = target};
  receives_.push_back(slot);
  while (go_on_receiving(receives_.size() - 1)) {
  }
  if (is_over(slot)) receives_.pop_back();
}

// work(piece, first, bytes) for each part of the transfer's next `bytes` that lies in one piece.
template <class Work>
void Carrier::for_next(Transfer& transfer, std::size_t bytes, Work work) {
  while (bytes > 0) {
    const Piece& piece = transfer.target.pieces[transfer.at.piece];
    const std::size_t first = transfer.at.offset;
    const std::size_t now = std::min(bytes, piece.bytes - first);
    work(piece, first, now);
    bytes -= now;
    transfer.at = first + now == piece.bytes ? At{transfer.at.piece + 1, 0}
                                             : At{transfer.at.piece, first + now};
  }
}

void Carrier::gather(Transfer& send, char* to, std::size_t bytes) {
  for_next(send, bytes, [&](const Piece& piece, std::size_t first, std::size_t count) {
    if (piece.layout == nullptr) {
      std::memcpy(to, address(piece) + first, count);
    } else {
      packer_->pack(piece, address(piece), first, count, to);
    }
    to += count;
  });
}

void Carrier::scatter(Transfer& receive, const char* from, std::size_t bytes) {
  for_next(receive, bytes, [&](const Piece& piece, std::size_t first, std::size_t count) {
    if (piece.layout == nullptr) {
      std::memcpy(address(piece) + first, from, count);
    } else {
      packer_->unpack(piece, address(piece), first, count, from);
    }
    from += count;
  });
}

void Carrier::combine(Transfer& receive, const char* data, std::size_t bytes) {
  const Target& target = receive.target;
  const char* const other = address(*target.operand) + receive.done;
  char* const into = address(*target.into) + receive.done;
  const std::size_t elements = bytes / element_bytes_;
  if (target.message_is_left) {
    combine_(data, other, into, elements);
  } else {
    combine_(other, data, into, elements);
  }
}

void Carrier::publish_short(Transfer& send, std::size_t bytes) {
  gather(send, medium_.short_data(send.peer), bytes);
  send.done += bytes;
  medium_.publish_short(send.peer, bytes, call_, send.done == send.bytes);
}

// A cell with the bytes that come next: one that another reader of them has, or a free one, written
// now. Below 0: none is free.
int Carrier::cell_with_next(Transfer& send, std::size_t bytes, std::size_t place) {
  const Content next{send.publication, send.done};
  if (send.publication > 0) {
    const auto found = std::ranges::find(contents_, next);
    if (found != contents_.end()) {
      for_next(send, bytes, [](const Piece&, std::size_t, std::size_t) {});
      return static_cast<int>(found - contents_.begin());
    }
  }
  const int cell = medium_.free_cell(place > 0 ? kept_for_first : 0);
  if (cell < 0) return cell;
  gather(send, medium_.cell(cell), bytes);
  contents_[static_cast<std::size_t>(cell)] = next;
  has_publications_ |= next.publication > 0;
  return cell;
}

// Bytes that are long enough and lie together behind what was sent, whole elements; else 0.
std::size_t Carrier::to_be_lent(const Transfer& send) const {
  if (!single_copy_.is_possible() || send.bytes < least_lent) return 0;
  const Piece& piece = send.target.pieces[send.at.piece];
  const std::size_t bytes = std::min(piece.bytes - send.at.offset, most_lent);
  if (piece.layout != nullptr || bytes < least_lent) return 0;
  return bytes / element_bytes_ * element_bytes_;
}

bool Carrier::end_if_taken(Transfer& send) {
  if (send.lent > 0 && !medium_.has_taken(send.peer, send.lent)) return false;
  end(send, to_);
  return true;
}

bool Carrier::publish_next(Transfer& send, std::size_t place) {
  if (send.done == send.bytes && send.lent > 0) return end_if_taken(send);
  if (!medium_.has_room_for(send.peer)) return false;
  if (const std::size_t lent = to_be_lent(send); lent > 0) {
    for_next(send, lent, [&](const Piece& piece, std::size_t first, std::size_t bytes) {
      send.done += bytes;
      send.lent =
          medium_.lend(send.peer, address(piece) + first, bytes, call_, send.done == send.bytes);
    });
    return true;
  }
  const std::size_t bytes = std::min(send.step, send.bytes - send.done);
  if (bytes <= Entry::room) {
    publish_short(send, bytes);
  } else {
    const int cell = cell_with_next(send, bytes, place);
    if (cell < 0) return false;
    send.done += bytes;
    medium_.publish_cell(send.peer, cell, bytes, call_, send.done == send.bytes);
  }
  if (send.done == send.bytes) end_if_taken(send);
  return true;
}

// To ranks that have nothing else to take.
bool Carrier::go_without_cells() {
  bool went_on = false;
  const std::size_t bytes = Entry::room / element_bytes_ * element_bytes_;
  for (const int slot : sends_) {
    Transfer& send = transfer(slot);
    if (bytes == 0 || send.done == send.bytes || !is_next(send, to_) ||
        !medium_.has_taken_most(send.peer))
      continue;
    publish_short(send, std::min(bytes, send.bytes - send.done));
    if (send.done == send.bytes) end_if_taken(send);
    went_on = true;
  }
  return went_on;
}

bool Carrier::go_on_sending(std::size_t place) {
  Transfer& send = transfer(sends_[place]);
  return send.is_under_way && is_next(send, to_) && publish_next(send, place);
}

bool Carrier::go_on_receiving(std::size_t place) {
  Transfer& receive = transfer(receives_[place]);
  return receive.is_under_way && !failed_ && is_next(receive, from_) && take_next(receive);
}

Carrier::Fits Carrier::fits(const Entry& entry) const {
  if (entry.call == call_) return Fits::yes;
  const unsigned ahead = (static_cast<unsigned>(entry.call) - call_) % calls_told_apart;
  return ahead > calls_told_apart / 2 ? Fits::stale : Fits::no;
}

void Carrier::land(Transfer& receive, const char* data, std::size_t bytes) {
  if (receive.target.operand != nullptr) {
    combine(receive, data, bytes);
  } else {
    scatter(receive, data, bytes);
  }
  receive.done += bytes;
}

// As much as is read at once, of the entry's first `bytes`. False if there is more.
bool Carrier::read_lent(Transfer& receive, const Entry& entry, std::size_t bytes) {
  const auto whole_elements = [&](std::size_t most) {
    return most / element_bytes_ * element_bytes_;
  };
  const auto read = [&](char* to, std::size_t count) {
    const char* const from = Medium::lent_at(entry) + receive.read;
    failed_ |= !single_copy_.read(receive.peer, from, to, count);
    receive.read += count;
  };
  const std::size_t now = std::min(bytes, receive.read + whole_elements(read_at_once));
  while (receive.read < now && !failed_) {
    const std::size_t left = now - receive.read;
    const bool is_copied = receive.target.operand == nullptr &&
                           receive.target.pieces[receive.at.piece].layout == nullptr;
    if (is_copied) {
      const Piece& piece = receive.target.pieces[receive.at.piece];
      const std::size_t together = std::min(left, piece.bytes - receive.at.offset);
      for_next(receive, together, [&](const Piece&, std::size_t first, std::size_t count) {
        read(address(piece) + first, count);
      });
      receive.done += together;
    } else {
      landing_.resize(landing_bytes);  // once
      const std::size_t some = std::min(left, whole_elements(landing_bytes));
      read(landing_.data(), some);
      land(receive, landing_.data(), some);
    }
  }
  return receive.read == bytes;
}

bool Carrier::take_next(Transfer& receive) {
  const Entry* const entry = medium_.next_from(receive.peer);
  if (entry == nullptr) return false;
  if (const Fits it = fits(*entry); it != Fits::yes) {
    if (it == Fits::stale) {  // of a call that this rank gave up
      medium_.take_from(receive.peer);
    } else {
      failed_ = true;
    }
    return true;
  }
  const std::size_t room = receive.bytes - (receive.done - receive.read);
  const std::size_t bytes = std::min(std::size_t{entry->bytes}, room);
  has_truncated_ |= bytes < entry->bytes;
  const bool is_last = entry->is_last != 0;
  if (entry->cell == Entry::is_lent) {
    if (!read_lent(receive, *entry, bytes)) return true;
    receive.read = 0;
  } else {
    land(receive, medium_.data_of(receive.peer, *entry), bytes);
  }
  medium_.take_from(receive.peer);
  if (is_last) end(receive, from_);
  return true;
}

bool Carrier::progress() {
  bool went_on = false;
  for (std::size_t i = 0; i < receives_.size(); ++i) went_on |= go_on_receiving(i);
  for (std::size_t i = 0; i < sends_.size(); ++i) went_on |= go_on_sending(i);
  if (!went_on) went_on = go_without_cells();
  if (went_on) {
    const auto is_ended = [&](int slot) { return is_over(slot); };
    std::erase_if(receives_, is_ended);
    std::erase_if(sends_, is_ended);
  }
  return went_on;
}

void Carrier::look_for_failure() {
  for (const auto* slots : {&sends_, &receives_}) {
    failed_ |= std::ranges::any_of(
        *slots, [&](int slot) { return medium_.gave_up(transfer(slot).peer, number_); });
  }
}

void Carrier::give_up() {
  medium_.give_up(number_);
  for (auto [slots, turns] : {std::pair(&sends_, &to_), std::pair(&receives_, &from_)}) {
    for (const int slot : *slots) {
      if (!is_over(slot)) end(transfer(slot), *turns);
    }
    slots->clear();
  }
}

}  // namespace tutti
