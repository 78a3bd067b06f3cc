// Tables as kubectl prints them (upper-case headers, three blanks between columns, no borders) that give way to the
// width of the terminal and may hold strips.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/style.h"

namespace kumiko::report {

struct Cell {
  std::string text;
  Hue hue = Hue::kNone;
  bool painted = false;  // carries colour of its own (a strip); other text has its control characters escaped
};

enum class Fit {
  kWhole,      // never cut: numbers, strips
  kCutMiddle,  // names
  kCutEnd,     // sentences
};

struct Column {
  std::string header;
  Fit fit = Fit::kWhole;
  bool right = false;  // numbers stand to the right
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // a short row leaves its last cells empty; an empty cell prints <none>
};

// Lines with their newline, each indented by `indent` blanks. With a width, columns that may be cut give way, the
// widest first, down to 8 cells.
std::string Draw(const Table& table, const Style& style, std::size_t indent = 0);

}  // namespace kumiko::report
