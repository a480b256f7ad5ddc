#include "tools/cli/numbers.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tutti::tools {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.front() == '-') return std::nullopt;
  return number;
}

std::string print_us(double seconds) {
  const double us = seconds * 1e6;
  const int decimals = us < 100 ? 2 : us < 10000 ? 1 : 0;
  return fmt::format("{:.{}f}", us, decimals);
}

std::optional<double> ratio(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}

std::string print_ratio(double part, double whole) {
  const std::optional<double> value = ratio(part, whole);
  return value ? fmt::format("{:.2f}", *value) : "-";
}

}  // namespace tutti::tools
