// Results that take long to find, kept for those who ask again: the last so many that were asked
// for. For any number of threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace tutti {

template <class Key, class Result>
class RecentTable {
 public:
  explicit RecentTable(std::size_t most) : most_(most) {}

  // Found by whoever asks first. Others who want the same wait, those who want another do not. Who
  // has a result keeps it, whatever becomes of the table's.
  template <class Find>
  std::shared_ptr<const Result> find(const Key& key, const Find& find) {
    const std::shared_ptr<Entry> entry = entry_for(key);
    std::call_once(entry->once, [&] { entry->result = find(); });
    return {entry, &entry->result};
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::once_flag once;
    Result result;
  };
  struct Kept {
    std::shared_ptr<Entry> entry;
    std::uint64_t asked = 0;  // when it was last
  };

  std::shared_ptr<Entry> entry_for(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto [found, fresh] = entries_.try_emplace(key);
    if (fresh) found->second.entry = std::make_shared<Entry>();
    found->second.asked = ++asked_;
    std::shared_ptr<Entry> entry = found->second.entry;
    if (entries_.size() > most_) {
      entries_.erase(std::ranges::min_element(entries_, {},
                                              [](const auto& each) { return each.second.asked; }));
    }
    return entry;
  }

  std::size_t most_;
  mutable std::mutex mutex_;
  std::uint64_t asked_ = 0;
  std::map<Key, Kept> entries_;
};

}  // namespace tutti
