// Keeps what was prepared for a call, for the next call like it. Bounded, one per communicator.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "algorithms/collective.hpp"

namespace tutti {

// Everything a prepared call depends on, as this rank passed it. Datatypes are named by their
// shape: programs make them anew for every call. Bytes that are not used are zero.
struct CallKey {
  Collective collective = Collective::barrier;
  bool in_place = false;
  bool commutative = true;
  bool in_at_bottom = false;
  bool out_at_bottom = false;
  bool recurs = false;  // the layout has been there before
  std::int32_t root = 0;
  std::int64_t send_count = 0;
  std::int64_t recv_count = 0;
  std::uint64_t send_type = 0;
  std::uint64_t recv_type = 0;
  std::uint64_t op = 0;
  std::uint64_t blocks_hash = 0;  // of what the call says of its blocks, where they differ

  bool operator==(const CallKey&) const = default;
};

struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    std::uint64_t hash = static_cast<std::uint64_t>(key.collective) << 40 |
                         static_cast<std::uint64_t>(key.recurs) << 34 |
                         static_cast<std::uint64_t>(key.in_place) << 33 |
                         static_cast<std::uint64_t>(key.commutative) << 32 |
                         static_cast<std::uint32_t>(key.root);
    for (std::uint64_t part :
         {static_cast<std::uint64_t>(key.send_count), static_cast<std::uint64_t>(key.recv_count),
          key.send_type, key.recv_type, key.op, key.blocks_hash}) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

// `Entry` has `std::size_t bytes() const`. When the entries together exceed the bound, all are
// dropped: programs that never repeat a call gain nothing from a cleverer order. A call in progress
// shares what it found, which outlives its place here.
template <class Entry>
class ScheduleCache {
 public:
  explicit ScheduleCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Null if there is none. Where it is kept, which is valid until the next insert.
  const std::shared_ptr<Entry>* find(const CallKey& key) const {
    const auto found = entries_.find(key);
    return found != entries_.end() ? &found->second : nullptr;
  }

  void insert(const CallKey& key, std::shared_ptr<Entry> entry) {
    if (bytes_ + entry->bytes() > most_bytes_) clear();
    std::shared_ptr<Entry>& place = entries_[key];
    if (place != nullptr) bytes_ -= place->bytes();
    bytes_ += entry->bytes();
    place = std::move(entry);
  }

  void clear() {
    entries_.clear();
    bytes_ = 0;
  }

 private:
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::unordered_map<CallKey, std::shared_ptr<Entry>, CallKeyHash> entries_;
};

}  // namespace tutti
