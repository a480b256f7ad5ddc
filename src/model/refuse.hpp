// Bad input: one line that says what was wrong and what is accepted.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace tutti {

// Throws std::invalid_argument with that text.
template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> text, Values&&... values) {
  throw std::invalid_argument(fmt::format(text, std::forward<Values>(values)...));
}

}  // namespace tutti
