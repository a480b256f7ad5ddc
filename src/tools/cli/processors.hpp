// Work that is divided among processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tutti::tools {

// Calls work(0), ..., work(count - 1) on all processors, in that order as they become free. An
// exception ends the work.
template <class Work>
void on_all_processors(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr fault;
  std::mutex fault_mutex;
  const auto worker = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(fault_mutex);
      fault = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < processors; ++i) threads.emplace_back(worker);
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace tutti::tools
