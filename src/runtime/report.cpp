#include "runtime/report.hpp"

#include <fmt/format.h>

#include <bit>

namespace tutti::runtime {

void Report::count(Collective collective, int p, std::string_view algorithm, By by, double bytes,
                   double seconds) {
  const int size_class = std::bit_width(static_cast<std::uint64_t>(bytes));
  const std::lock_guard lock(mutex_);
  Line& line = lines_[{collective, p, size_class, algorithm, by}];
  ++line.calls;
  line.seconds += seconds;
  line.bytes += bytes;
}

// The bytes of a size class: "0", "8 - 16" (from 8, below 16), "64K - 128K".
static std::string size_text(int size_class) {
  if (size_class == 0) return "0";
  const auto text = [](std::uint64_t bytes) {
    constexpr const char* units[] = {"", "K", "M", "G", "T"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; bytes /= 1024) ++unit;
    return fmt::format("{}{}", bytes, units[unit]);
  };
  const std::uint64_t low = std::uint64_t{1} << (size_class - 1);
  return fmt::format("{} - {}", text(low), text(2 * low));
}

static const char* to_string(By by) {
  switch (by) {
    case By::library:
      return "-";
    case By::messages:
      return "messages";
    case By::memory:
      return "memory";
    case By::both:
      return "both";
  }
  return "?";
}

std::string Report::text(int p, const Expectation& expected) const {
  const std::lock_guard lock(mutex_);
  std::string text = fmt::format("Tutti: collectives of rank 0 of {}\n", p);
  text += fmt::format("  {:<21}{:>5}{:>22}  {:<18} {:<8}{:>9}{:>12}", "collective", "ranks",
                      "bytes (from - below)", "algorithm", "by", "calls", "seconds");
  text += expected ? fmt::format("{:>14}{:>14}\n", "bound", "best known") : "\n";
  for (const auto& [key, line] : lines_) {
    const auto& [collective, ranks, size_class, algorithm, by] = key;
    text +=
        fmt::format("  {:<21}{:>5}{:>22}  {:<18} {:<8}{:>9}{:>12.6f}", to_string(collective), ranks,
                    size_text(size_class), algorithm, to_string(by), line.calls, line.seconds);
    const auto calls = static_cast<double>(line.calls);
    const Outlook each =
        expected ? expected(collective, ranks, line.bytes / calls, algorithm) : Outlook{};
    text += expected ? fmt::format("{:>14.6f}{:>14.6f}\n", calls * each.bound, calls * each.best)
                     : "\n";
  }
  if (!expected) {
    text += "  With --machine FILE (of tutti machine): the lower bound and the best known time.\n";
  }
  return text;
}

std::string Report::json() const {
  const std::lock_guard lock(mutex_);
  std::string text = "{\n  \"tutti_trace\": 1,\n  \"calls\": [";
  const char* next = "\n";
  for (const auto& [key, line] : lines_) {
    const auto& [collective, ranks, size_class, algorithm, by] = key;
    text += fmt::format(
        "{}    {{\"collective\": \"{}\", \"ranks\": {}, \"bytes\": {:.0f}, \"algorithm\": "
        "\"{}\", \"calls\": {}, \"seconds\": {:.6g}}}",
        next, to_string(collective), ranks, line.bytes / static_cast<double>(line.calls), algorithm,
        line.calls, line.seconds);
    next = ",\n";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace tutti::runtime
