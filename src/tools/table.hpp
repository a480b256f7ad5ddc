// Tables with aligned columns, in colour on a terminal.
#pragma once

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

struct Column {
  std::string title;
  bool right = false;  // numbers are aligned on the right
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void add(std::vector<std::string> cells, Colour colour = Colour::plain);
  // The header and the rows, one line each.
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };
  std::string line(const Row& row, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace tutti::tools
