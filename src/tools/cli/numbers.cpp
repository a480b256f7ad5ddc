#include "tools/cli/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/refuse.hpp"

namespace tutti::tools {

namespace {

constexpr std::string_view suffixes = "KMG";
constexpr std::int64_t kilo = 1024;
constexpr std::int64_t largest = kilo * kilo * kilo * kilo * 16;

[[noreturn]] void refuse_size(std::string_view text) {
  refuse(
      "'{}' is no size; accepted are bytes from 0 to 16384G as a whole number, with K, M or G for "
      "1024, 1024^2 or 1024^3: 512, 64K, 1M",
      text);
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

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.front() == '-') return std::nullopt;
  return number;
}

std::int64_t parse_number(std::string_view text, std::string_view what, std::int64_t least,
                          std::int64_t most) {
  const auto number = whole_number(text);
  if (number && *number >= least && *number <= most) return *number;
  refuse("'{}' is no {}; accepted are {} to {}", text, what, least, most);
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

nlohmann::ordered_json json_of(std::optional<double> number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

std::string print_ratio(double part, double whole) {
  const std::optional<double> value = ratio(part, whole);
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0 || end - stop > 1) refuse_size(text);
  const std::int64_t factor = stop == end ? 1 : factor_of(*stop);
  if (factor == 0 || number > largest / factor) refuse_size(text);
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
