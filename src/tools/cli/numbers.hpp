// Numbers as users give them and as tables show them: whole ones, sizes in bytes, times, ratios.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::tools {

// The whole of `text` as a number without sign, or nothing.
std::optional<std::int64_t> whole_number(std::string_view text);
// One from `least` to `most`. Throws std::invalid_argument that says what it is to be.
std::int64_t parse_number(std::string_view text, std::string_view what, std::int64_t least,
                          std::int64_t most);

// Microseconds, with as many decimals as make sense.
std::string print_us(double seconds);
// part / whole with two decimals, "-" where it has no value.
std::string print_ratio(double part, double whole);
// The same, or nothing where it has no value.
std::optional<double> ratio(double part, double whole);
// A number, or null.
nlohmann::ordered_json json_of(std::optional<double> number);

// Sizes as people write them: 512, 64K, 1M, 1G, where K is 1024. Whole numbers of bytes up to
// 16384G. Throws std::invalid_argument naming what is accepted.
std::int64_t parse_size(std::string_view text);
// "64K", "1M"; what is no multiple of 1024 as "777", or with three digits: "1.95K".
std::string print_size(double bytes);

}  // namespace tutti::tools
