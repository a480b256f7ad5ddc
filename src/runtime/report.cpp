#include "runtime/report.hpp"

#include <fmt/format.h>

#include <bit>

namespace tutti::runtime {

void Report::count(Collective collective, std::string_view algorithm, double bytes,
                   double seconds) {
  const int size_class = std::bit_width(static_cast<std::uint64_t>(bytes));
  const std::lock_guard lock(mutex_);
  Line& line = lines_[{collective, size_class, algorithm}];
  ++line.calls;
  line.seconds += seconds;
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

std::string Report::text(int p) const {
  const std::lock_guard lock(mutex_);
  std::string text = fmt::format("Tutti: collectives of rank 0 of {}\n", p);
  text += fmt::format("  {:<21}{:>22}  {:<20}{:>10}{:>14}\n", "collective", "bytes (from - below)",
                      "algorithm", "calls", "seconds");
  for (const auto& [key, line] : lines_) {
    const auto& [collective, size_class, algorithm] = key;
    text += fmt::format("  {:<21}{:>22}  {:<20}{:>10}{:>14.6f}\n", to_string(collective),
                        size_text(size_class), algorithm, line.calls, line.seconds);
  }
  return text;
}

}  // namespace tutti::runtime
