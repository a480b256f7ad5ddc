// How far long work is and when it will be done, on standard error if that is a terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace tutti::tools {

class Progress {
 public:
  // `total`: all work, in any unit. Of many ranks one speaks.
  explicit Progress(double total, bool speaks = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // That much work is done, lately on `what`. From any thread.
  void add(double work, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  const bool shown_;
  const double total_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  double done_ = 0;
  Clock::time_point printed_ = start_;
};

}  // namespace tutti::tools
