// Tables in kubectl's form: upper-case headers, columns as wide as their content and three blanks, no borders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/term.h"

namespace kumiko {

struct Cell {
  Cell(std::string cell_text) : text(std::move(cell_text)) {}  // NOLINT: rows are written as lists of texts
  Cell(std::string_view cell_text) : text(cell_text) {}        // NOLINT
  Cell(const char* cell_text) : text(cell_text) {}             // NOLINT
  Cell(std::string cell_text, Color cell_color) : text(std::move(cell_text)), color(cell_color) {}

  std::string text;
  std::optional<Color> color;
};

class Table {
 public:
  enum class Headers { kShow, kHide };

  // Headers are printed in upper case.
  explicit Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}

  // Must have as many cells as there are headers. Empty texts print as <none>.
  void AddRow(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }

  // Control characters in cells are escaped. Each line ends with a line break and without trailing blanks.
  std::string ToString(Headers headers = Headers::kShow, Coloring coloring = Coloring::kOff) const;

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace kumiko
