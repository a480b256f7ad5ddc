#include "tools/cli/table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>
#include <sstream>
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

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& last = lines.back();
    if (!last.empty() && width_of(last) + 1 + width_of(word) > width) {
      lines.push_back(word);
    } else {
      last += last.empty() ? word : ' ' + word;
    }
  }
  return lines;
}

Table::Table(const std::vector<std::string>& titles) {
  for (const std::string& each : titles) {
    const bool right = each.starts_with('>');
    columns_.push_back({each.substr(right ? 1 : 0), right});
  }
}

void Table::add(Row row) {
  assert(row.cells.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::string Table::line(const Row& row, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string padding(widths[i] - std::min(widths[i], width_of(row.cells[i])), ' ');
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
  constexpr std::size_t narrowest = 20;
  const std::size_t others =
      std::accumulate(widths.begin(), widths.end() - 1, 2 * (widths.size() - 1));
  const bool is_wrapped = !columns_.back().right && others + widths.back() > page_width;
  if (is_wrapped) widths.back() = std::max(page_width - std::min(others, page_width), narrowest);
  std::string text = line(header, widths);
  for (const Row& row : rows_) {
    if (!is_wrapped) {
      text += line(row, widths);
      continue;
    }
    Row part = row;
    for (const std::string& words : lines_of(row.cells.back(), widths.back())) {
      part.cells.back() = words;
      text += line(part, widths);
      for (std::string& cell : part.cells) cell.clear();
    }
  }
  return text;
}

}  // namespace tutti::tools
