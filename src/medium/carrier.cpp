#include "medium/carrier.hpp"

#include <algorithm>

namespace tutti {

namespace {

// So many cells are left to the first send that is under way.
constexpr int kept_for_first = 2;

// Of an entry of a message. The reader works on one while the next is written, so short messages
// have several; but each costs a line that goes from one processor to another.
std::size_t step_of(std::size_t bytes, std::size_t element_bytes) {
  constexpr std::size_t parts = 8, least = 4096;
  const std::size_t wanted = std::clamp((bytes + parts - 1) / parts, least, cell_bytes);
  return std::max(wanted / element_bytes, std::size_t{1}) * element_bytes;
}

}  // namespace

Carrier::Carrier(Medium& medium) : medium_(medium) {
  constexpr std::size_t usual = 64;
  transfers_.resize(usual);
  sends_.reserve(usual);
  receives_.reserve(usual);
}

void Carrier::begin(const std::array<char*, 3>& buffers, std::uint16_t call, Combine combine,
                    std::size_t element_bytes, Packer* packer, int slots) {
  buffers_ = buffers;
  call_ = call;
  combine_ = combine;
  element_bytes_ = element_bytes;
  packer_ = packer;
  failed_ = false;
  if (const auto needed = static_cast<std::size_t>(slots); transfers_.size() < needed) {
    transfers_.resize(needed);
    sends_.reserve(needed);
    receives_.reserve(needed);
  }
}

void Carrier::send(int slot, int peer, Pieces pieces, std::size_t bytes, std::uint32_t group) {
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
          .group = group,
          .bytes = bytes,
          .step = step_of(bytes, element_bytes_),
          .pieces = pieces};
  sends_.push_back(slot);
  while (go_on_sending(sends_.size() - 1)) {
  }
  if (!send.is_under_way) sends_.pop_back();
}

void Carrier::receive(int slot, int peer, const Target& target, std::size_t bytes) {
  transfer(slot) = {.is_under_way = true,
                    .slot = slot,
                    .peer = peer,
                    .bytes = bytes,
                    .pieces = target.pieces,
                    .target = target};
  receives_.push_back(slot);
  while (go_on_receiving(receives_.size() - 1)) {
  }
  if (is_over(slot)) receives_.pop_back();
}

void Carrier::gather(Transfer& send, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const Piece& piece = send.pieces[send.at.piece];
    const std::size_t now = std::min(bytes, piece.bytes - send.at.offset);
    if (piece.layout == nullptr) {
      std::memcpy(to, address(piece) + send.at.offset, now);
    } else {
      packer_->pack(piece, address(piece), send.at.offset, now, to);
    }
    to += now;
    bytes -= now;
    send.at.offset += now;
    if (send.at.offset == piece.bytes) send.at = {send.at.piece + 1, 0};
  }
}

void Carrier::scatter(Transfer& receive, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const Piece& piece = receive.pieces[receive.at.piece];
    const std::size_t now = std::min(bytes, piece.bytes - receive.at.offset);
    if (piece.layout == nullptr) {
      std::memcpy(address(piece) + receive.at.offset, from, now);
    } else {
      packer_->unpack(piece, address(piece), receive.at.offset, now, from);
    }
    from += now;
    bytes -= now;
    receive.at.offset += now;
    if (receive.at.offset == piece.bytes) receive.at = {receive.at.piece + 1, 0};
  }
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

// Others that send the same and are as far have the cell too, as long as enough are left to the
// first: a rank that is late may keep it.
void Carrier::share_cell(const Transfer& written, std::size_t place, int cell, std::size_t before,
                         std::size_t bytes) {
  if (written.group == 0) return;
  for (std::size_t i = place + 1; i < sends_.size(); ++i) {
    Transfer& other = transfer(sends_[i]);
    if (other.group != written.group || other.done != before) continue;
    if (!medium_.has_room_for(other.peer)) continue;
    other.done += bytes;
    other.at = written.at;
    medium_.publish_cell(other.peer, cell, bytes, call_, other.done == other.bytes);
    if (other.done == other.bytes) end(other);
  }
}

bool Carrier::publish_next(Transfer& send, std::size_t place) {
  if (!medium_.has_room_for(send.peer)) return false;
  const std::size_t before = send.done;
  const std::size_t bytes = std::min(send.step, send.bytes - before);
  if (bytes <= Entry::room) {
    gather(send, medium_.short_data(send.peer), bytes);
    send.done += bytes;
    medium_.publish_short(send.peer, bytes, call_, send.done == send.bytes);
  } else {
    const bool is_shared = send.group != 0;
    int cell = medium_.free_cell(place > 0 || is_shared ? kept_for_first : 0);
    const bool is_last_resort = cell < 0 && place == 0 && is_shared;
    if (is_last_resort) cell = medium_.free_cell(0);
    if (cell < 0) return false;
    gather(send, medium_.cell(cell), bytes);
    send.done += bytes;
    medium_.publish_cell(send.peer, cell, bytes, call_, send.done == send.bytes);
    if (!is_last_resort) share_cell(send, place, cell, before, bytes);
  }
  if (send.done == send.bytes) end(send);
  return true;
}

// Messages between two ranks keep their order.
bool Carrier::is_first_of_its_rank(const std::vector<int>& slots, std::size_t place) const {
  const int peer = transfer(slots[place]).peer;
  return std::none_of(
      slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(place),
      [&](int slot) { return transfer(slot).is_under_way && transfer(slot).peer == peer; });
}

bool Carrier::go_on_sending(std::size_t place) {
  Transfer& send = transfer(sends_[place]);
  return send.is_under_way && is_first_of_its_rank(sends_, place) && publish_next(send, place);
}

bool Carrier::go_on_receiving(std::size_t place) {
  Transfer& receive = transfer(receives_[place]);
  return receive.is_under_way && !failed_ && is_first_of_its_rank(receives_, place) &&
         take_next(receive);
}

Carrier::Fits Carrier::fits(const Entry& entry) const {
  if (entry.call == call_) return Fits::yes;
  constexpr unsigned calls = 1u << call_number_bits, half = calls / 2;
  const unsigned ahead = (static_cast<unsigned>(entry.call) - call_) % calls;
  return ahead > half ? Fits::stale : Fits::no;
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
  const std::size_t bytes = entry->bytes;
  const bool is_last = entry->is_last != 0;
  if (receive.done + bytes > receive.bytes) {
    failed_ = true;
    return true;
  }
  const char* const data = medium_.data_of(receive.peer, *entry);
  if (receive.target.operand != nullptr) {
    combine(receive, data, bytes);
  } else {
    scatter(receive, data, bytes);
  }
  receive.done += bytes;
  medium_.take_from(receive.peer);
  if (is_last) end(receive);
  return true;
}

bool Carrier::progress() {
  bool went_on = false;
  for (std::size_t i = 0; i < receives_.size(); ++i) went_on |= go_on_receiving(i);
  for (std::size_t i = 0; i < sends_.size(); ++i) went_on |= go_on_sending(i);
  if (went_on) {
    const auto is_ended = [&](int slot) { return is_over(slot); };
    std::erase_if(receives_, is_ended);
    std::erase_if(sends_, is_ended);
  }
  return went_on;
}

void Carrier::look_for_failure() {
  for (const int slot : receives_) {
    if (medium_.gave_up(transfer(slot).peer, call_)) failed_ = true;
  }
  for (const int slot : sends_) {
    if (medium_.gave_up(transfer(slot).peer, call_)) failed_ = true;
  }
}

void Carrier::give_up() {
  medium_.give_up(call_);
  for (const int slot : receives_) transfer(slot).is_under_way = false;
  for (const int slot : sends_) transfer(slot).is_under_way = false;
  receives_.clear();
  sends_.clear();
}

}  // namespace tutti
