// Tables with aligned columns, in colour on a terminal. They fit 100 columns if their text can.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::tools {

enum class Colour { plain, bold, good, bad, faint };

// Whether standard output is a terminal that wants colours (NO_COLOR unset).
bool colours_wanted();
// `text` in that colour if colours are wanted, unchanged otherwise.
std::string painted(const std::string& text, Colour colour);
// Characters, not bytes, of UTF-8 text.
std::size_t width_of(const std::string& text);

// The widest that tables and text are printed.
inline constexpr std::size_t page_width = 100;

// Words of `text` in lines of at most so many characters, but where one word is longer.
std::vector<std::string> lines_of(const std::string& text, std::size_t width);

class Table {
  struct Column {
    std::string title;
    bool right;
  };
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };

 public:
  // Titles of columns; those that begin with '>' are of numbers, aligned on the right.
  explicit Table(const std::vector<std::string>& titles);

  // One cell per column: text or a number.
  template <class... Cells>
  void add(Colour colour, const Cells&... cells) {
    add({{fmt::format("{}", cells)...}, colour});
  }
  template <class... Cells>
  void add(const Cells&... cells) {
    add(Colour::plain, cells...);
  }
  // The header and the rows, one line each. What is too long is continued in the last column.
  std::string text() const;

 private:
  void add(Row row);
  std::string line(const Row& row, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace tutti::tools
