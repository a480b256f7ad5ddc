// What was called: collective, ranks, size class, algorithm, calls, seconds; and what is left on
// the table.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "algorithms/collective.hpp"
#include "runtime/by.hpp"
#include "select/outlook.hpp"

namespace tutti::runtime {

using Expectation =
    std::function<Outlook(Collective collective, int p, double bytes, std::string_view algorithm)>;

class Report {
 public:
  // `bytes` of the whole message; calls are grouped by powers of two. Safe from any thread.
  void count(Collective collective, int p, std::string_view algorithm, By by, double bytes,
             double seconds);
  // A table, by collective, ranks and size. With an expectation, also what all calls of a row would
  // take.
  std::string text(int p, const Expectation& expected) const;
  // The same rows for programs, with the mean of their bytes.
  std::string json() const;

 private:
  struct Line {
    std::int64_t calls = 0;
    double seconds = 0;
    double bytes = 0;  // of all calls
  };
  // p; size class: bytes < 2^class
  using Key = std::tuple<Collective, int, int, std::string_view, By>;

  mutable std::mutex mutex_;
  std::map<Key, Line> lines_;
};

}  // namespace tutti::runtime
