#include "tools/cli/sizes.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace tutti::tools {

namespace {

constexpr std::string_view suffixes = "KMG";
constexpr std::int64_t kilo = 1024;
constexpr std::int64_t largest = kilo * kilo * kilo * kilo * 16;

std::invalid_argument refused(std::string_view text) {
  return std::invalid_argument(
      fmt::format("'{}' is no size; accepted are bytes from 0 to 16384G as a whole number, with K, "
                  "M or G for 1024, 1024^2 or 1024^3: 512, 64K, 1M",
                  text));
}

std::int64_t factor_of(char suffix) {
  const std::size_t at =
      suffixes.find(suffix >= 'a' ? static_cast<char>(suffix - 'a' + 'A') : suffix);
  if (at == std::string_view::npos) return 0;
  std::int64_t factor = kilo;
  for (std::size_t i = 0; i < at; ++i) factor *= kilo;
  return factor;
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0 || end - stop > 1) throw refused(text);
  const std::int64_t factor = stop == end ? 1 : factor_of(*stop);
  if (factor == 0 || number > largest / factor) throw refused(text);
  return number * factor;
}

std::string print_size(double bytes) {
  std::string_view suffix;
  double value = bytes;
  for (std::size_t i = 0; i < suffixes.size() && value >= kilo; ++i) {
    value /= kilo;
    suffix = suffixes.substr(i, 1);
  }
  if (value == std::floor(value)) return fmt::format("{:.0f}{}", value, suffix);
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, decimals, suffix);
}

}  // namespace tutti::tools
