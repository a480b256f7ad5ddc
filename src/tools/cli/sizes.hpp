// Sizes in bytes as people write them: 512, 64K, 1M, 1G, where K is 1024.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::tools {

// Whole numbers of bytes up to 16384G. Throws std::invalid_argument naming what is accepted.
std::int64_t parse_size(std::string_view text);

// "64K", "1M"; what is no multiple of 1024 as "777", or with three digits: "1.95K".
std::string print_size(double bytes);

}  // namespace tutti::tools
