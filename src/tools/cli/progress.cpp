#include "tools/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tutti::tools {

Progress::Progress(double total, bool speaks)
    : shown_(speaks && isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::add(double work, const std::string& what) {
  if (!shown_) return;
  const std::scoped_lock lock(mutex_);
  done_ += work;
  const Clock::time_point now = Clock::now();
  if (now - printed_ < std::chrono::milliseconds(100)) return;
  printed_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left = seconds * (total_ - done_) / done_;
  fmt::print(stderr, "\r\033[K{:.0f}%, about {:.0f} s left ({})", 100 * done_ / total_, left, what);
  std::fflush(stderr);
}

}  // namespace tutti::tools
