#include "medium/medium.hpp"

#include <algorithm>

namespace tutti {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// A box: whether its rank sleeps, what it gave up, its cells, and for each rank a ring of entries
// and how many were taken from it.
struct Box {
  Box(char* memory, int ranks, int rank)
      : at(memory + static_cast<std::size_t>(rank) * Medium::box_bytes(ranks)), ranks(ranks) {}

  static std::size_t head_bytes(int ranks) {
    const std::size_t lines =
        2 + static_cast<std::size_t>(ranks) * (entries_of_ring * Entry::lines + 1);
    return whole_pages(lines * line_bytes);
  }
  char* line(std::size_t number) const { return at + number * line_bytes; }
  template <class What>
  What* object(std::size_t number) const {
    return reinterpret_cast<What*>(line(number));
  }
  auto* asleep() const { return object<std::atomic<std::uint32_t>>(0); }
  auto* gave_up() const { return object<Counter>(1); }
  auto* taken_from(int peer) const { return object<Counter>(2 + static_cast<std::size_t>(peer)); }
  auto* entries_for(int peer) const {
    const auto before = static_cast<std::size_t>(peer) * entries_of_ring * Entry::lines;
    return object<Entry>(2 + static_cast<std::size_t>(ranks) + before);
  }
  char* cells() const { return at + head_bytes(ranks); }

  char* at;
  int ranks;
};

}  // namespace

std::size_t Medium::box_bytes(int ranks) {
  return Box::head_bytes(ranks) + cells_of_box * cell_bytes;
}

Medium::Medium(char* memory, int ranks, int me, Waits waits)
    : waits_(waits), holders_(cells_of_box) {
  const Box mine(memory, ranks, me);
  cells_ = mine.cells();
  mine_gave_up_ = mine.gave_up();
  asleep_ = mine.asleep();
  for (int peer = 0; peer < ranks; ++peer) {
    const Box theirs(memory, ranks, peer);
    peers_.push_back({.mine = mine.entries_for(peer),
                      .they_took_here = theirs.taken_from(me),
                      .theirs = theirs.entries_for(me),
                      .i_took = mine.taken_from(peer),
                      .cells = theirs.cells(),
                      .gave_up = theirs.gave_up(),
                      .asleep = theirs.asleep()});
  }
  for (auto& holders : holders_) holders.reserve(static_cast<std::size_t>(ranks));
}

bool Medium::is_free(std::vector<Holder>& holders) {
  std::erase_if(holders, [&](const Holder& holder) {
    Peer& peer = peers_[static_cast<std::size_t>(holder.peer)];
    if (peer.they_took < holder.number) look_what_was_taken(peer);
    return peer.they_took >= holder.number;
  });
  return holders.empty();
}

// By turns, so that a cell is not written again while its lines are still in a reader's cache.
int Medium::free_cell(int others) {
  int found = -1, more = 0;
  for (int i = 0; i < cells_of_box; ++i) {
    const int cell = (next_cell_ + i) % cells_of_box;
    if (!is_free(holders_[static_cast<std::size_t>(cell)])) continue;
    if (found < 0) {
      found = cell;
    } else {
      ++more;
    }
    if (more >= others) break;
  }
  return more >= others ? found : -1;
}

void Medium::publish_cell(int peer, int cell, std::size_t bytes, std::uint16_t call, bool is_last) {
  next_cell_ = (cell + 1) % cells_of_box;
  holders_[static_cast<std::size_t>(cell)].push_back(
      {peer, peers_[static_cast<std::size_t>(peer)].published + 1});
  publish(peer, bytes, call, cell, is_last);
}

}  // namespace tutti
