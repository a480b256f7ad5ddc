// Whole numbers as users give them, times and ratios as tables show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::tools {

// The whole of `text` as a number without sign, or nothing.
std::optional<std::int64_t> whole_number(std::string_view text);

// Microseconds, with as many decimals as make sense.
std::string print_us(double seconds);
// part / whole with two decimals, "-" where it has no value.
std::string print_ratio(double part, double whole);
// The same for JSON: nothing where it has no value.
std::optional<double> ratio(double part, double whole);

}  // namespace tutti::tools
