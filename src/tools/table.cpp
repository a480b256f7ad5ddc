#include "tools/table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <string_view>

namespace tutti::tools {

bool colours_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !refused && !dumb && isatty(STDOUT_FILENO) == 1;
}

std::string painted(const std::string& text, Colour colour) {
  static const bool wanted = colours_wanted();
  if (!wanted || colour == Colour::plain) return text;
  const int code = colour == Colour::bold   ? 1
                   : colour == Colour::good ? 32
                   : colour == Colour::bad  ? 31
                                            : 2;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void Table::add(std::vector<std::string> cells, Colour colour) {
  assert(cells.size() == columns_.size());
  rows_.push_back({std::move(cells), colour});
}

std::string Table::line(const Row& row, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string padding(widths[i] - width_of(row.cells[i]), ' ');
    if (i > 0) text += "  ";
    text += columns_[i].right ? padding + row.cells[i] : row.cells[i] + padding;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return painted(text, row.colour) + '\n';
}

std::string Table::text() const {
  Row header{{}, Colour::bold};
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    header.cells.push_back(columns_[i].title);
    widths.push_back(width_of(columns_[i].title));
    for (const Row& row : rows_) widths[i] = std::max(widths[i], width_of(row.cells[i]));
  }
  std::string text = line(header, widths);
  for (const Row& row : rows_) text += line(row, widths);
  return text;
}

}  // namespace tutti::tools
