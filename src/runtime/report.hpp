// What was called: collective, size class, algorithm, calls, seconds.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "algorithms/collective.hpp"

namespace tutti::runtime {

class Report {
 public:
  // `bytes` of the whole message; calls are grouped by powers of two. Safe from any thread.
  void count(Collective collective, std::string_view algorithm, double bytes, double seconds);
  // A table, by collective and size.
  std::string text(int p) const;

 private:
  struct Line {
    std::int64_t calls = 0;
    double seconds = 0;
  };
  using Key = std::tuple<Collective, int, std::string_view>;  // size class: bytes < 2^class

  mutable std::mutex mutex_;
  std::map<Key, Line> lines_;
};

}  // namespace tutti::runtime
